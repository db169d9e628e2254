"""The live page in a real browser: by mouse, by keyboard, on a phone, on paper, and while things change."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from typing import Final, TypeVar

import pytest
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

from tests.browser.shop import Shop
from tests.integration.stage import service

HANGS_S: Final = 30.0
AREAS: Final = ("", "zones", "sources", "changes", "name?of=right.example.org")
T = TypeVar("T")


@pytest.fixture(autouse=True)
def _desk(browser: Chrome) -> None:
    """A screen of usual size, light."""
    screen(browser, width=1280, height=900)
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    complaints(browser)


def complaints(browser: Chrome) -> list[object]:
    """What the browser has complained of since it was asked last."""
    found: list[object] = browser.get_log("browser")  # type: ignore[no-untyped-call] # of the library
    return found


def screen(browser: Chrome, *, width: int, height: int, scheme: str = "light") -> None:
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    features = [
        {"name": "prefers-color-scheme", "value": scheme},
        {"name": "prefers-reduced-motion", "value": "reduce"},
    ]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


def until(browser: Chrome, look: Callable[[Chrome], T | None]) -> T:
    """What *look* sees once it sees something."""
    moved = (StaleElementReferenceException,)  # the page has replaced what was looked at
    return WebDriverWait(browser, HANGS_S, poll_frequency=0.1, ignored_exceptions=moved).until(look)  # type: ignore[return-value] # of the stubs


def names(browser: Chrome) -> list[str]:
    """The names in the list, read in one go: an update may replace them at any time."""
    script = "return [...document.querySelectorAll('tbody th a')].map((one) => one.textContent)"
    found: list[str] = browser.execute_script(script)
    return found


def text(browser: Chrome, selector: str) -> str:
    """What is seen of the first such element, read in one go."""
    found: str = browser.execute_script("return document.querySelector(arguments[0])?.innerText ?? ''", selector)
    return found


def element(browser: Chrome, selector: str) -> WebElement:
    return browser.find_element(By.CSS_SELECTOR, selector)


def overflow(browser: Chrome) -> int:
    """By how many pixels the page is wider than the screen."""
    found: int = browser.execute_script(
        "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    return found


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_every_area_fits_the_screen_and_complains_of_nothing(
    browser: Chrome, shop: Shop, width: int, scheme: str
) -> None:
    screen(browser, width=width, height=844, scheme=scheme)
    for area in AREAS:
        browser.get(f"{shop.address}{area}")
        assert text(browser, ".sentence").endswith("see below.")
        assert overflow(browser) <= 0, area
        assert complaints(browser) == [], "the policy blocks nothing, no script fails"
    paper = element(browser, "body").value_of_css_property("background-color")
    assert (paper == "rgba(255, 255, 255, 1)") is (scheme == "light")


def test_what_objects_say_stays_text(browser: Chrome, shop: Shop) -> None:
    browser.get(f"{shop.address}name?of=right.example.org")
    assert browser.title == "right.example.org · extdns"
    assert "<script>document.title=" in text(browser, "main")
    assert browser.find_elements(By.CSS_SELECTOR, "main script, main img, header img") == []


def test_a_search_by_keyboard_and_a_way_to_the_whole_story(browser: Chrome, shop: Shop) -> None:
    browser.get(shop.address)
    element(browser, "body").send_keys("/")
    search = browser.switch_to.active_element
    assert search.get_attribute("name") == "q"
    search.send_keys("web1", Keys.ENTER)
    until(browser, lambda now: "q=web1" in now.current_url or None)
    assert names(browser) == [f"web1{number}.example.org" for number in range(10)]
    element(browser, "tbody th a").send_keys(Keys.ENTER)
    until(browser, lambda now: "name?of=web10" in now.current_url or None)
    assert text(browser, ".answer").startswith("web10.example.org is published.")
    assert "asked for by" in text(browser, "dl")


def test_the_first_tab_stop_leads_past_the_navigation(browser: Chrome, shop: Shop) -> None:
    browser.get(shop.address)
    element(browser, "body").send_keys(Keys.TAB)
    skip = browser.switch_to.active_element
    assert skip.text == "Skip to the content"
    assert skip.rect["x"] >= 0, "it is seen while it has the focus"


def test_a_filter_is_chosen_and_pages_are_turned(browser: Chrome, shop: Shop) -> None:
    browser.get(shop.address)
    element(browser, "a.state.published").click()
    until(browser, lambda now: "state=published" in now.current_url or None)
    first = names(browser)
    assert len(first) == 50
    element(browser, "a[rel=next]").click()
    until(browser, lambda now: "after=" in now.current_url or None)
    assert set(names(browser)).isdisjoint(first)
    assert element(browser, "select[name=state]").get_attribute("value") == "published"


def test_what_changes_appears_by_itself_and_nothing_jumps(browser: Chrome, shop: Shop) -> None:
    browser.get(f"{shop.address}?q=web")
    element(browser, "input[name=q]").send_keys("-typed")
    browser.execute_script("window.scrollTo(0, 600); window.kept = 'the same document'")
    before = text(browser, ".count")
    shop.hold(service("web99", "web99.example.org"))
    try:
        until(browser, lambda now: text(now, ".count") != before or None)
        assert browser.execute_script("return [window.scrollY, window.kept]") == [600, "the same document"]
        assert element(browser, "input[name=q]").get_attribute("value") == "web-typed"
    finally:
        shop.hold()


def test_a_held_set_is_seen_at_once_with_its_command(browser: Chrome, shop: Shop) -> None:
    browser.get(f"{shop.address}changes")
    shop.hold(but=60)
    try:
        banner = until(browser, lambda now: text(now, ".banner p") or None)
        assert re.fullmatch(
            r"\d+ deletes are held in example.org, where \d+ records are ours. "
            r"Release them: extdns --release=[0-9a-f-]{9} \[flags\]",
            banner,
        )
        element(browser, ".banner summary").click()
        asof = text(browser, "#asof")
        until(browser, lambda now: text(now, "#asof") != asof or None)
        said, listed, is_open = browser.execute_script(
            "const held = document.querySelector('.banner');"
            "return [held.innerText, held.querySelectorAll('li').length, held.querySelector('details').open]"
        )
        assert said.startswith(f"{listed} deletes are held ")
        assert is_open, "an update leaves it open"
    finally:
        shop.hold()
        until(browser, lambda now: not now.find_elements(By.CSS_SELECTOR, ".banner") or None)


def test_without_javascript_all_is_there(browser: Chrome, shop: Shop) -> None:
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    browser.get(f"{shop.address}?q=web7")
    assert "Without JavaScript, reload" in text(browser, "footer")
    assert len(names(browser)) == 10
    element(browser, "input[name=q]").send_keys("1")
    element(browser, "form button").click()
    until(browser, lambda now: "q=web71" in now.current_url or None)
    assert names(browser) == ["web71.example.org"]


def test_on_paper_only_what_matters_is_left(browser: Chrome, shop: Shop) -> None:
    browser.get(shop.address)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        assert not element(browser, "nav").is_displayed()
        assert not element(browser, "form").is_displayed()
        assert element(browser, "tbody th a").is_displayed()
        printed = base64.b64decode(browser.execute_cdp_cmd("Page.printToPDF", {})["data"])
        assert printed.startswith(b"%PDF-")
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
