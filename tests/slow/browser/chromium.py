"""A headless Chromium."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest
from selenium.webdriver import Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service

from tests.required_programs import require_program

_SCRIPT_S: Final = 300.0  # axe-core takes seconds, longer on a busy machine
_PROXY_VARIABLES: Final = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")


@contextmanager
def start_chromium(profile: Path) -> Iterator[Chrome]:
    executable = require_program("the live page in a browser", "chromium")
    driver = require_program("the live page in a browser", "chromedriver")
    options = ChromeOptions()
    options.binary_location = executable
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-dev-shm-usage",
        "--disable-gpu",
        "--no-proxy-server",
        "--window-size=1280,900",
        f"--user-data-dir={profile}",
    ):
        options.add_argument(argument)
    with pytest.MonkeyPatch.context() as patch:
        for name in _PROXY_VARIABLES:
            patch.delenv(name, raising=False)
        patch.setenv("NO_PROXY", "127.0.0.1,localhost")
        chrome = Chrome(options=options, service=Service(driver, log_output=os.devnull))
        chrome.set_script_timeout(_SCRIPT_S)
        try:
            yield chrome
        finally:
            chrome.quit()
