"""A real Chromium, driven over its own protocol, before a running extdns."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from selenium.webdriver import Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service

from tests.browser.shop import Shop
from tests.integration.program import running
from tests.integration.stage import Stage

_BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome")
_HIDDEN: Final = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chrome]:
    """Without a window, and with a profile of its own."""
    program = next((found for name in _BROWSERS if (found := shutil.which(name))), None)
    driver = shutil.which("chromedriver")
    if program is None or driver is None:
        pytest.skip("NOT RUN in a browser: chromium or chromium-driver is not installed")
    options = ChromeOptions()
    options.binary_location = program
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-dev-shm-usage",
        "--disable-gpu",
        "--no-proxy-server",
        "--window-size=1280,900",
        f"--user-data-dir={tmp_path_factory.mktemp('profile')}",
    ):
        options.add_argument(argument)
    with pytest.MonkeyPatch.context() as patch:
        for name in _HIDDEN:
            patch.delenv(name, raising=False)
        patch.setenv("NO_PROXY", "127.0.0.1,localhost")
        chrome = Chrome(options=options, service=Service(driver, log_output=os.devnull))
        try:
            yield chrome
        finally:
            chrome.quit()


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    """Extdns over manifests and zone files that a test may change."""
    stage = Stage(tmp_path_factory.mktemp("shop"), example_org="www IN A 192.0.2.99\n")
    Shop.begin(stage)
    with running(
        f"--manifests={stage.manifests}",
        "--source=service",
        "--provider=zonefile",
        f"--zonefile-dir={stage.zones}",
        "--txt-owner-id=me",
        "--metrics-address=127.0.0.1:0",
        "--web-address=127.0.0.1:0",
        "--delete-grace-period=0s",
    ) as program:
        line = program.until("The live page is served")
        port = re.search(r"port=(\d+)", line)
        assert port is not None
        program.until("record(s) were successfully updated")
        yield Shop(stage, f"http://127.0.0.1:{port[1]}/", Path(stage.manifests))
        assert program.end() == 0
