// Brings the page up to date by itself: asks for it again and replaces what has changed, so that nothing jumps.
"use strict";
(() => {
  const EVERY_MS = 3000;
  const SLOWEST_MS = 30000;
  const connection = document.getElementById("connection");
  let pauseMs = EVERY_MS;
  let timer = 0;
  connection.textContent = "";

  const chosen = (region) => {
    const selection = document.getSelection();
    return selection && !selection.isCollapsed && region.contains(selection.anchorNode);
  };

  // A reader who has opened something, is on a link, or has scrolled a table sideways finds it so again.
  const replace = (old, fresh) => {
    if (old.innerHTML === fresh.innerHTML || chosen(old)) return;
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
    const answer = await fetch(location.href, { cache: "no-store", signal: AbortSignal.timeout(SLOWEST_MS) });
    if (!answer.ok) throw new Error(`the answer was ${answer.status}`);
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
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
    try {
      await update();
      pauseMs = EVERY_MS;
      connection.textContent = "";
      connection.classList.remove("lost");
    } catch {
      pauseMs = Math.min(pauseMs * 2, SLOWEST_MS);
      connection.textContent = "The connection is lost: what you see is not up to date. Trying again.";
      connection.classList.add("lost");
    }
    clearTimeout(timer);
    timer = setTimeout(again, pauseMs);
  };

  document.addEventListener("visibilitychange", again);
  document.addEventListener("keydown", (event) => {
    const search = document.querySelector("input[type=search]");
    if (event.key !== "/" || !search || event.target.closest("input, select, textarea")) return;
    event.preventDefault();
    search.focus();
  });
  for (const select of document.querySelectorAll("form select")) {
    select.addEventListener("change", () => select.form.requestSubmit());
  }
  timer = setTimeout(again, EVERY_MS);
})();
