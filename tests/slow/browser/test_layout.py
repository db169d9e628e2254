"""Every page on a phone, a tablet and a desktop, in light and dark colors: nothing is cut off or overlaps."""

from __future__ import annotations

from typing import Final

import pytest
from selenium.webdriver import Chrome

from tests.slow.browser.axe_core import find_violations, load_axe_core
from tests.slow.browser.live_page import LivePage, read_text
from tests.slow.browser.screen import find_overlaps, measure_overflow, set_screen, take_console_messages

PATHS: Final = (
    "",
    "?state=out-of-sync",
    "zones",
    "sources",
    "changes",
    "policies",
    "reasons",
    "?rule=warn",
    "name?of=denied.example.org",
    "name?of=right.example.org",
    "name?of=www.example.org",
)
NOT_FOUND: Final = ("nowhere", "not/here")
SCREENS: Final = [
    pytest.param(width, scheme, id=f"{width}-{scheme}") for width in (360, 768, 1280) for scheme in ("light", "dark")
]


@pytest.fixture(scope="session")
def axe_core() -> str:
    return load_axe_core()


@pytest.mark.parametrize(("width", "scheme"), SCREENS)
def test_every_page_fits_the_screen_without_overlaps_and_logs_no_error(
    browser: Chrome, live_page: LivePage, width: int, scheme: str
) -> None:
    set_screen(browser, width=width, height=844, scheme=scheme)
    take_console_messages(browser)
    for path in PATHS:
        browser.get(f"{live_page.address}{path}")
        assert read_text(browser, ".sentence").endswith("see below.")
        assert measure_overflow(browser) <= 0, path
        assert find_overlaps(browser) == [], path
        assert take_console_messages(browser) == [], "the content policy blocks nothing, and no script fails"
    background = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert (background == "rgb(255, 255, 255)") is (scheme == "light")


@pytest.mark.parametrize(("width", "scheme"), SCREENS)
def test_axe_core_finds_no_accessibility_problem_on_any_page_and_no_page_is_too_wide_for_the_screen(
    browser: Chrome, live_page: LivePage, axe_core: str, width: int, scheme: str
) -> None:
    set_screen(browser, width=width, height=844, scheme=scheme)
    for path in (*PATHS, *NOT_FOUND):
        browser.get(f"{live_page.address}{path}")
        assert measure_overflow(browser) <= 0, path
        assert find_violations(browser, axe_core) == [], path


@pytest.mark.parametrize("width", [360, 1280])
def test_the_age_of_the_shown_data_stays_on_the_screen_when_the_reader_scrolls_down(
    browser: Chrome, live_page: LivePage, width: int
) -> None:
    set_screen(browser, width=width, height=640)
    browser.get(live_page.address)
    browser.execute_script("window.scrollTo(0, document.documentElement.scrollHeight)")
    top, bottom = browser.execute_script(
        "const box = document.querySelector('.age').getBoundingClientRect(); return [box.top, box.bottom]"
    )
    assert browser.execute_script("return window.scrollY") > 640
    assert top == 0
    assert 10 < bottom < 80
