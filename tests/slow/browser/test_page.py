"""The live page in a browser: mouse and keyboard, print, and updates while it is open."""

from __future__ import annotations

import base64
import re

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

from tests.objects import service
from tests.slow.browser.live_page import LivePage, read_text, wait_until
from tests.slow.browser.screen import set_screen, take_console_messages


@pytest.fixture(autouse=True)
def _reset_browser(browser: Chrome) -> None:
    """Set a screen of usual size and light colors, allow scripts, and drop the messages of earlier tests."""
    set_screen(browser, width=1280, height=900)
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    take_console_messages(browser)


def read_names(browser: Chrome) -> list[str]:
    """Return the names in the list. One script reads them all, because an update may replace them at any time."""
    script = "return [...document.querySelectorAll('tbody th a')].map((one) => one.textContent)"
    found: list[str] = browser.execute_script(script)
    return found


def find(browser: Chrome, selector: str) -> WebElement:
    return browser.find_element(By.CSS_SELECTOR, selector)


def test_markup_in_annotations_is_shown_as_text(browser: Chrome, live_page: LivePage) -> None:
    browser.get(f"{live_page.address}name?of=right.example.org")
    assert browser.title == "right.example.org · extdns"
    assert "<script>document.title=" in read_text(browser, "main")
    assert browser.find_elements(By.CSS_SELECTOR, "main script, main img, header img") == []


def test_a_dns_name_can_be_found_and_its_page_opened_by_keyboard(browser: Chrome, live_page: LivePage) -> None:
    browser.get(live_page.address)
    find(browser, "body").send_keys("/")
    search = browser.switch_to.active_element
    assert search.get_attribute("name") == "q"
    search.send_keys("web1", Keys.ENTER)
    wait_until(browser, lambda now: "q=web1" in now.current_url or None)
    assert read_names(browser) == [f"web1{number}.example.org" for number in range(10)]
    find(browser, "tbody th a").send_keys(Keys.ENTER)
    wait_until(browser, lambda now: "name?of=web10" in now.current_url or None)
    assert read_text(browser, ".answer").startswith("web10.example.org is published.")
    assert "requested by" in read_text(browser, "dl")


def test_the_first_press_of_the_tab_key_selects_the_link_that_skips_to_the_content(
    browser: Chrome, live_page: LivePage
) -> None:
    browser.get(live_page.address)
    find(browser, "body").send_keys(Keys.TAB)
    skip = browser.switch_to.active_element
    assert skip.text == "Skip to the content"
    assert skip.rect["x"] >= 0, "the link is visible while it has the focus"


def test_the_count_of_names_is_updated_without_a_reload_and_keeps_scroll_position_and_typed_text(
    browser: Chrome, live_page: LivePage
) -> None:
    browser.get(f"{live_page.address}?q=web")
    find(browser, "input[name=q]").send_keys("-typed")
    browser.execute_script("window.scrollTo(0, 600); window.kept = 'the same document'")
    before = read_text(browser, ".count")
    live_page.replace_objects(service("web99", "web99.example.org"))
    try:
        wait_until(browser, lambda now: read_text(now, ".count") != before or None)
        assert browser.execute_script("return [window.scrollY, window.kept]") == [600, "the same document"]
        assert find(browser, "input[name=q]").get_attribute("value") == "web-typed"
    finally:
        live_page.restore(browser)


def test_a_banner_on_the_page_shows_held_deletes_with_the_command_that_approves_them_until_the_holds_end(
    browser: Chrome, live_page: LivePage
) -> None:
    browser.get(f"{live_page.address}changes")
    live_page.replace_objects(without=60)
    try:
        banner = wait_until(browser, lambda now: read_text(now, ".banner p") or None)
        assert re.fullmatch(
            r"\d+ deletes are held in namespace shop of example\.org\. "
            r"Approve them: extdns --approve=[0-9a-f-]{9} \[flags\]",
            banner,
        )
        find(browser, ".banner summary").click()
        displayed_at = read_text(browser, "#asof")
        wait_until(browser, lambda now: read_text(now, "#asof") != displayed_at or None)
        message, listed, is_open = browser.execute_script(
            "const held = document.querySelector('.banner');"
            "return [held.innerText, held.querySelectorAll('li').length, held.querySelector('details').open]"
        )
        assert message.startswith(f"{listed} deletes are held ")
        assert is_open, "an update keeps the list open"
    finally:
        live_page.restore(browser)
    wait_until(browser, lambda now: not now.find_elements(By.CSS_SELECTOR, ".banner") or None)


def test_without_javascript_the_page_lists_names_shows_the_time_of_its_data_and_can_search(
    browser: Chrome, live_page: LivePage
) -> None:
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    browser.get(f"{live_page.address}?q=web7")
    assert "Without JavaScript, reload" in read_text(browser, "#asof")
    assert re.search(r"As of \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC", read_text(browser, "#asof"))
    assert len(read_names(browser)) == 10
    find(browser, "input[name=q]").send_keys("1")
    find(browser, "form button").click()
    wait_until(browser, lambda now: "q=web71" in now.current_url or None)
    assert read_names(browser) == ["web71.example.org"]


def test_a_printed_page_has_no_navigation(browser: Chrome, live_page: LivePage) -> None:
    browser.get(live_page.address)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        assert not find(browser, "nav").is_displayed()
        assert not find(browser, "form").is_displayed()
        assert find(browser, "tbody th a").is_displayed()
        printed = base64.b64decode(browser.execute_cdp_cmd("Page.printToPDF", {})["data"])
        assert printed.startswith(b"%PDF-")
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
