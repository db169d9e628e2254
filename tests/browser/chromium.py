"""A headless Chromium."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest
from selenium.webdriver import Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service

_BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome")
_PROXY_VARIABLES: Final = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")


@contextmanager
def start_chromium(profile: Path) -> Iterator[Chrome]:
    """Start Chromium without a window and with the fresh *profile*. Skip the test if it is not installed."""
    executable = next((found for name in _BROWSERS if (found := shutil.which(name))), None)
    driver = shutil.which("chromedriver")
    if executable is None or driver is None:
        pytest.skip("NOT RUN in a browser: chromium or chromium-driver is not installed")
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
        try:
            yield chrome
        finally:
            chrome.quit()
