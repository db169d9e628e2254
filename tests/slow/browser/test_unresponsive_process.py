"""The live page shows that it is out of date if its process died or hangs."""

from __future__ import annotations

import re
import signal
from typing import Final

import pytest
from selenium.webdriver import Chrome

from tests.program.process import ExtdnsProcess
from tests.slow.browser.live_page import read_text, wait_until

GREEN: Final = "rgb(229, 244, 232)"
RED: Final = "rgb(253, 232, 232)"


def read_color(browser: Chrome, selector: str = ".sentence") -> str:
    """Return the background color of an element, by default of the summary at the top."""
    script = "return getComputedStyle(document.querySelector(arguments[0])).backgroundColor"
    found: str = browser.execute_script(script, selector)
    return found


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP], ids=["dead", "hangs"])
def test_the_summary_at_the_top_of_the_page_turns_red_when_the_process_does_not_answer(
    browser: Chrome, page_and_process: tuple[str, ExtdnsProcess], number: signal.Signals
) -> None:
    address, program = page_and_process
    browser.get(f"{address}zones")
    wait_until(browser, lambda now: read_color(now) == GREEN or None)
    assert read_text(browser, ".sentence") == "The one name is published."
    assert re.fullmatch(", [0-4]s ago", read_text(browser, ".ago"))
    program.process.send_signal(number)
    wait_until(browser, lambda now: read_color(now) == RED or None)
    assert re.fullmatch(
        r"The process has not answered since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC: what you see may be out of date\.",
        read_text(browser, "#connection"),
    )
    assert int(re.sub(r"\D", "", read_text(browser, ".ago"))) >= 4
    for part in (".age p", "#asof p", "#held", "nav"):
        assert read_color(browser, part) == RED, "the whole top is red"
    if number == signal.SIGSTOP:
        program.process.send_signal(signal.SIGCONT)
        wait_until(browser, lambda now: read_color(now) == GREEN or None)
        assert read_text(browser, "#connection") == ""
