// Brings the page up to date by itself: asks for it again and replaces what has changed, so that nothing jumps.
"use strict";
(() => {
  const EVERY_MS = 2000;
  const SILENT_MS = 4500; // with TICK_MS at most five seconds
  const TICK_MS = 500;
  const connection = document.getElementById("connection");
  let answeredMs = performance.now(); // when what is seen was answered
  let silentSinceMs = answeredMs; // as that, but a page that was hidden has asked nothing meanwhile
  let timer = 0;

  const span = (seconds) => {
    for (const [size, unit] of [[86400, "d"], [3600, "h"], [60, "m"]]) {
      if (seconds >= size) return `${Math.floor(seconds / size)}${unit}`;
    }
    return `${Math.max(0, Math.floor(seconds))}s`;
  };

  // The age of what is seen counts on, whoever answers; a process that is silent for long turns the top red.
  const showAge = () => {
    const silentMs = performance.now() - answeredMs;
    const copy = document.querySelector("#asof time");
    const copiedMs = Number(copy.dataset.ageS) * 1000;
    document.querySelector("#asof .ago").textContent = `, ${span((copiedMs + silentMs) / 1000)} ago`;
    const lost = performance.now() - silentSinceMs >= SILENT_MS;
    if (lost === document.body.classList.contains("lost")) return;
    document.body.classList.toggle("lost", lost);
    const since = new Date(Date.parse(copy.dateTime) + copiedMs).toISOString().slice(0, 19).replace("T", " ");
    connection.textContent = lost ? `The process has not answered since ${since} UTC: what you see may be out of date.` : "";
  };

  const chosen = (region) => {
    const selection = document.getSelection();
    return selection && !selection.isCollapsed && region.contains(selection.anchorNode);
  };

  // A reader who has opened something, is on a link, or has scrolled a table sideways finds it so again.
  const replace = (old, fresh) => {
    if (old.innerHTML === fresh.innerHTML || (!["status", "asof"].includes(old.id) && chosen(old))) return;
    const open = [...old.querySelectorAll("details[open]")].map((one) => one.id);
    const sideways = old.querySelector(".table")?.scrollLeft ?? 0;
    const focused = old.contains(document.activeElement) ? document.activeElement : null;
    const address = focused?.getAttribute("href");
    old.replaceChildren(...document.adoptNode(fresh).childNodes);
    for (const id of open) old.querySelector(`#${CSS.escape(id)}`)?.setAttribute("open", "");
    const table = old.querySelector(".table");
    if (table) table.scrollLeft = sideways;
    if (address) old.querySelector(`a[href="${CSS.escape(address)}"]`)?.focus({ preventScroll: true });
    else if (focused?.tagName === "SUMMARY") old.querySelector("summary")?.focus({ preventScroll: true });
  };

  const update = async () => {
    const answer = await fetch(location.href, { cache: "no-store", signal: AbortSignal.timeout(SILENT_MS) });
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (!fresh.getElementById("asof")) throw new Error(`the answer was ${answer.status}`);
    const { scrollX, scrollY } = window;
    for (const old of document.querySelectorAll("[data-live]")) {
      const region = fresh.getElementById(old.id);
      if (region) replace(old, region);
    }
    window.scrollTo({ left: scrollX, top: scrollY, behavior: "instant" });
  };

  const again = async () => {
    clearTimeout(timer);
    if (document.hidden) return;
    const startMs = performance.now();
    try {
      await update();
      answeredMs = silentSinceMs = performance.now();
    } catch {
      // showAge tells how long there has been no answer
    }
    showAge();
    clearTimeout(timer);
    timer = setTimeout(again, Math.max(TICK_MS, EVERY_MS - (performance.now() - startMs)));
  };

  document.addEventListener("visibilitychange", () => {
    silentSinceMs = performance.now();
    again();
  });
  document.addEventListener("keydown", (event) => {
    const search = document.querySelector("input[type=search]");
    if (event.key !== "/" || !search || event.target.closest("input, select, textarea")) return;
    event.preventDefault();
    search.focus();
  });
  for (const select of document.querySelectorAll("form select")) {
    select.addEventListener("change", () => select.form.requestSubmit());
  }
  showAge();
  setInterval(() => document.hidden || showAge(), TICK_MS);
  timer = setTimeout(again, EVERY_MS);
})();
