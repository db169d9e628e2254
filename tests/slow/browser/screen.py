"""What a person sees on the screen: its size and colors, messages of the browser, and texts that overlap."""

from __future__ import annotations

from typing import Final

from selenium.webdriver import Chrome

_FIND_OVERLAPS: Final = """
const boxes = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const node = walker.currentNode;
  if (!node.data.trim() || !node.parentElement.checkVisibility()) continue;
  const range = document.createRange();
  range.selectNodeContents(node);
  for (const box of range.getClientRects()) {
    if (box.right > 0 && box.width > 1) boxes.push([box, node]);
  }
}
const found = [];
boxes.forEach(([one, node], index) => {
  for (const [other, second] of boxes.slice(index + 1)) {
    const width = Math.min(one.right, other.right) - Math.max(one.left, other.left);
    const height = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
    if (node !== second && width > 1 && height > 3) found.push(`${node.data.trim()} | ${second.data.trim()}`);
  }
});
for (const cell of document.querySelectorAll("tbody td")) {
  const label = getComputedStyle(cell, "::before");
  if (label.content !== "none" && parseFloat(label.height) > cell.clientHeight + 1) {
    found.push(`${cell.dataset.label} | what is below it`);
  }
}
return found;
"""


def set_screen(browser: Chrome, *, width: int, height: int, scheme: str = "light") -> None:
    """Set the size of the screen in pixels, and the color scheme; below 500 pixels it is a phone."""
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    features = [
        {"name": "prefers-color-scheme", "value": scheme},
        {"name": "prefers-reduced-motion", "value": "reduce"},
    ]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


def take_console_messages(browser: Chrome) -> list[object]:
    found: list[object] = browser.get_log("browser")  # type: ignore[no-untyped-call] # of the library
    return found


def measure_overflow(browser: Chrome) -> int:
    """Return by how many pixels the page is wider than the screen."""
    found: int = browser.execute_script(
        "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    return found


def find_overlaps(browser: Chrome) -> list[str]:
    """Return each pair of texts that overlap on the open page, and each label that is higher than its cell."""
    found: list[str] = browser.execute_script(_FIND_OVERLAPS)
    return found
