"""Fixtures of the browser tests: a headless Chromium, and extdns processes whose pages it opens."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver import Chrome

from tests.objects import service
from tests.program.installation import Installation
from tests.program.process import ExtdnsProcess
from tests.slow.browser.chromium import start_chromium
from tests.slow.browser.live_page import FOREIGN_RECORD, LivePage, build_objects, write_rules
from tests.slow.browser.process_with_page import serve_installation


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chrome]:
    with start_chromium(tmp_path_factory.mktemp("profile")) as chrome:
        yield chrome


@pytest.fixture(scope="module")
def live_page(tmp_path_factory: pytest.TempPathFactory, browser: Chrome) -> Iterator[LivePage]:
    """Run extdns with manifests and zone files that a test may change."""
    folder = tmp_path_factory.mktemp("live")
    installation = Installation(folder, example_org=FOREIGN_RECORD)
    installation.replace_manifests(*build_objects())
    write_rules(folder / "rules.yaml")
    with serve_installation(installation, f"--policy-rules={folder / 'rules.yaml'}") as (address, program):
        page = LivePage(address, installation)
        page.wait_until_idle(browser)
        yield page
        assert program.end() == 0


@pytest.fixture
def page_and_process(tmp_path: Path) -> Iterator[tuple[str, ExtdnsProcess]]:
    """Run extdns with one published name; a test may stop or kill the process."""
    installation = Installation(tmp_path, example_org="")
    installation.replace_manifests(service("web", "web.example.org"))
    with serve_installation(installation) as found:
        yield found
