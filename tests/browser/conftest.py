"""Fixtures of the browser tests: a headless Chromium, and extdns processes whose pages it opens."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest
from selenium.webdriver import Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service

from tests.browser.live_page import FOREIGN_RECORD, LivePage, build_objects
from tests.objects import service
from tests.program.installation import Installation
from tests.program.process import ExtdnsProcess, running

_BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome")
_PROXY_VARIABLES: Final = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")

_TIMEOUT_S: Final = 600.0
"""Longest time in seconds that the process shared by the tests of a module may run."""


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chrome]:
    """Start Chromium without a window and with a fresh profile."""
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
        f"--user-data-dir={tmp_path_factory.mktemp('profile')}",
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


@pytest.fixture(scope="module")
def live_page(tmp_path_factory: pytest.TempPathFactory, browser: Chrome) -> Iterator[LivePage]:
    """Run extdns with manifests and zone files that a test may change."""
    installation = Installation(tmp_path_factory.mktemp("live"), example_org=FOREIGN_RECORD)
    installation.replace_manifests(*build_objects())
    with run_with_page(installation) as (address, program):
        page = LivePage(address, installation)
        page.wait_until_idle(browser)
        yield page
        assert program.end() == 0


@pytest.fixture
def page_and_process(tmp_path: Path) -> Iterator[tuple[str, ExtdnsProcess]]:
    """Run extdns with one published name; a test may stop or kill the process."""
    installation = Installation(tmp_path, example_org="")
    installation.replace_manifests(service("web", "web.example.org"))
    with run_with_page(installation) as found:
        yield found


@contextmanager
def run_with_page(installation: Installation) -> Iterator[tuple[str, ExtdnsProcess]]:
    """Run extdns with the manifests and zones of *installation*; yield the address of its page, and the process."""
    with running(
        f"--manifests={installation.manifests}",
        "--source=service",
        "--provider=zonefile",
        f"--zonefile-dir={installation.zones.folder}",
        "--txt-owner-id=me",
        "--metrics-address=127.0.0.1:0",
        "--web-address=127.0.0.1:0",
        "--delete-grace-period=0s",
        timeout_s=_TIMEOUT_S,
    ) as program:
        line = program.until("Serving the live page")
        port = re.search(r"port=(\d+)", line)
        assert port is not None
        program.until("record(s) were successfully updated")
        yield f"http://127.0.0.1:{port[1]}/", program
