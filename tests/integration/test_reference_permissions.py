"""With the permissions of external-dns's chart names are published; only features that need more are off."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.fakes.apiserver.server import ApiServer
from tests.objects import dns_endpoint, service
from tests.program.installation import Installation

DENIED: Final = (
    ("*", "configmaps", "STATE", "Cannot load or save state"),
    ("*", "events", "EVENTS", "No permission to record Events"),
    ("patch", "dnsendpoints", "STATUSES", "No permission to write object statuses in a namespace; it gets none"),
)
PUBLISHED: Final = ["crd.example.org A 192.0.2.2", "web.example.org A 192.0.2.1"]


@pytest.fixture
def installation(tmp_path: Path) -> Iterator[Installation]:
    with ApiServer() as server:
        installation = Installation(tmp_path, server, example_org="")
        installation.apply(
            service("web", "web.example.org"), service("wrong", "a..b"), dns_endpoint("crd", "192.0.2.2")
        )
        yield installation


@pytest.mark.parametrize(
    "denied", [pytest.param(DENIED, id="all"), *(pytest.param((one,), id=one[2].lower()) for one in DENIED)]
)
def test_a_missing_permission_disables_only_its_feature_with_one_warning(
    denied: tuple[tuple[str, str, str, str], ...], installation: Installation
) -> None:
    for verb, resource, _, _ in denied:
        installation.server.forbid(verb, resource)
    with installation.start("--source=crd") as running:
        waiting = {text for *_, text in denied}
        while installation.zones.published() != PUBLISHED or waiting:
            line = running.until("")
            waiting = {text for text in waiting if text not in line}
        installation.apply(service("wrong", "c..d"), service("more", "more.example.org"))
        installation.until(lambda: "more.example.org A 192.0.2.1" in installation.zones.published())
        running.pass_time(60.0)
    lines = "\n".join(running.lines)
    counts = {name: lines.count(text) for _, _, name, text in DENIED}
    assert counts == {name: int(any(name == one for _, _, one, _ in denied)) for _, _, name, _ in DENIED}
    assert "phase=forbidden" not in lines


def test_without_permission_on_configmaps_single_passes_and_a_running_process_still_delete_single_records(
    tmp_path: Path,
) -> None:
    names = [f"{letter}.example.org" for letter in "abcd"]
    with ApiServer() as server:
        installation = Installation(tmp_path, server, example_org="")
        installation.apply(*(service(name[0], name) for name in names))
        for verb in ("get", "create", "update", "list"):
            server.forbid(verb, "configmaps")
        assert installation.run_once() == 0
        installation.delete(service("a"))
        assert installation.run_once() == 0
        assert installation.zones.published() == [f"{name} A 192.0.2.1" for name in names[1:]]
        with installation.start("--interval=1s") as running:
            running.until("All records are already up to date")
            installation.delete(service("b"))
            running.until("A record stays as it is", "b.example.org")
            running.pass_time(61.0)
            running.until("successfully updated")
        assert installation.zones.published() == [f"{name} A 192.0.2.1" for name in names[2:]]
