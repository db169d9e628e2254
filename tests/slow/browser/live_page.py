"""The cluster whose page the browser tests open: published names, a denied one, and others that are not published."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver import Chrome
from selenium.webdriver.support.ui import WebDriverWait

from tests.objects import service
from tests.program.installation import Installation

T = TypeVar("T")
SCRIPT: Final = "<script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">"
FOREIGN_RECORD: Final = "www IN A 192.0.2.99\n"
PUBLISHED: Final = 82
_TIMEOUT_S: Final = 120.0


@dataclass(frozen=True, slots=True)
class LivePage:
    """The page of a running extdns, and the manifests that it reads."""

    address: str
    installation: Installation

    def replace_objects(self, *more: Mapping[str, object], without: int = 0) -> None:
        """Replace the manifests by the initial objects, without the first *without* Services, and *more*."""
        self.installation.replace_manifests(*build_objects()[without:], *more)

    def restore(self, browser: Chrome) -> None:
        """Replace the manifests by the initial objects, and wait until the zone is as it was.

        Otherwise an unfinished delete would count against the delete budget of the next test.
        """
        self.replace_objects()
        self.wait_until_idle(browser)

    def wait_until_idle(self, browser: Chrome) -> None:
        """Wait until the initial names, and no others, are published."""
        wait_until(browser, lambda _: self._is_idle() or None)

    def _is_idle(self) -> bool:
        with urllib.request.urlopen(f"{self.address}api/v1/status", timeout=_TIMEOUT_S) as response:
            counts = json.load(response)["counts"]
        published, unfinished = counts.pop("published"), counts["changing"] + counts["held"]
        return published == PUBLISHED and not unfinished


def build_objects() -> list[Mapping[str, object]]:
    return [
        *(service(f"web{number:02}", f"web{number:02}.example.org") for number in range(80)),
        service("www", "www.example.org"),
        service("long", f"{'x' * 55}.{'y' * 63}.example.org"),
        {**service("gw", "pay.example.org"), "status": {}},
        service("denied", "denied.example.org"),
        service("hostile", f"right.example.org, {SCRIPT}.example.org", annotations={"ttl": SCRIPT}),
    ]


def write_rules(path: Path) -> None:
    """Write a file with a rule that denies one of the initial names, a rule that warns, and a broken one."""
    rules = {
        "no-denied-names-in-the-zone": {
            "validations": [{"expression": "!record.name.startsWith('denied')", "message": SCRIPT}],
        },
        "warn": {"action": "warn", "validations": [{"expression": "record.ttl == 300", "message": "x" * 300}]},
        "broken": {
            "match": {"domains": ["nothing.example.net"]},
            "validations": [{"expression": f"record.{'n' * 100} == 1"}],
        },
    }
    documents = (
        {"apiVersion": "extdns.io/v1alpha1", "kind": "DNSPolicy", "metadata": {"name": name}, "spec": spec}
        for name, spec in rules.items()
    )
    path.write_text("\n---\n".join(map(json.dumps, documents)), encoding="utf-8")


def wait_until(browser: Chrome, condition: Callable[[Chrome], T | None]) -> T:
    replaced = (StaleElementReferenceException,)  # an update of the page replaced the element
    wait = WebDriverWait(browser, _TIMEOUT_S, poll_frequency=0.1, ignored_exceptions=replaced)
    return wait.until(condition)  # type: ignore[return-value] # of the stubs


def read_text(browser: Chrome, selector: str) -> str:
    """Return the visible text of the first element that matches *selector*, "" if there is none."""
    found: str = browser.execute_script("return document.querySelector(arguments[0])?.innerText ?? ''", selector)
    return found
