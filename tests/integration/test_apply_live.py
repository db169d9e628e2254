"""`extdns apply` on a live cluster: what it writes to the API server, and that a rejected plan writes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from extdns import cli
from tests.fakes.apiserver.server import ApiServer
from tests.objects import service
from tests.program.installation import Installation


@pytest.fixture
def installation(tmp_path: Path) -> Iterator[Installation]:
    with ApiServer() as server:
        found = Installation(tmp_path, server, example_org="www IN A 192.0.2.99\n")
        found.apply(service("web", "web.example.org"), service("www", "www.example.org"))
        yield found


@pytest.fixture
def plan(installation: Installation, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """Write the current plan of `extdns plan` to a file, and return its path."""
    assert cli.main(["plan", "--output=json", *_flags(installation)], {}) == 2
    path = tmp_path / "plan.json"
    path.write_text(capsys.readouterr().out, encoding="utf-8")
    return path


def _flags(installation: Installation) -> list[str]:
    return installation.flags("--state-configmap=dns/extdns-state", "--events-emit=RecordReady")


def _written(installation: Installation) -> set[str]:
    """Return the paths of all requests to the API server other than GET."""
    return {request.path.partition("?")[0] for request in installation.server.log.requests() if request.method != "GET"}


def test_apply_writes_records_and_the_state_configmap_but_no_events(installation: Installation, plan: Path) -> None:
    assert cli.main(["apply", f"--plan={plan}", *_flags(installation)], {}) == 0
    assert "web.example.org A 192.0.2.1" in installation.zones.published()
    assert _written(installation) == {"/api/v1/namespaces/dns/configmaps"}


def test_applying_a_plan_after_an_object_was_added_fails_and_writes_neither_records_nor_in_the_cluster(
    installation: Installation, plan: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    installation.apply(service("api", "api.example.org"))
    before = installation.zones.contents()
    assert cli.main(["apply", f"--plan={plan}", *_flags(installation)], {}) == 1
    assert "A api.example.org: nothing in the plan; now create [requested], 192.0.2.1\n" in capsys.readouterr().err
    assert installation.zones.contents() == before
    assert _written(installation) == set()
