"""`extdns apply` on a live cluster: what it writes to the API server, and that a rejected plan writes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from extdns import cli
from tests.fakes.apiserver.server import ApiServer
from tests.integration.live import LiveStage
from tests.integration.stage import service

pytestmark = pytest.mark.usefixtures("own_logging")


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[LiveStage]:
    with ApiServer() as server:
        found = LiveStage(tmp_path, server, example_org="www IN A 192.0.2.99\n")
        found.put(service("web", "web.example.org"), service("www", "www.example.org"))
        yield found


@pytest.fixture
def plan(stage: LiveStage, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """Write the current plan of `extdns plan` to a file, and return its path."""
    assert cli.main(["plan", "--output=json", *_flags(stage)], {}) == 2
    path = tmp_path / "plan.json"
    path.write_text(capsys.readouterr().out, encoding="utf-8")
    return path


def _flags(stage: LiveStage) -> list[str]:
    return stage.flags("--state-configmap=dns/extdns-state", "--events-emit=RecordReady")


def _written(stage: LiveStage) -> set[str]:
    """Return the paths of all requests to the API server other than GET."""
    return {request.path.partition("?")[0] for request in stage.server.log.requests() if request.method != "GET"}


def test_apply_writes_records_and_the_state_configmap_but_no_events(stage: LiveStage, plan: Path) -> None:
    assert cli.main(["apply", f"--plan={plan}", *_flags(stage)], {}) == 0
    assert "web.example.org A 192.0.2.1" in stage.published()
    assert _written(stage) == {"/api/v1/namespaces/dns/configmaps"}


def test_a_rejected_plan_writes_neither_records_nor_anything_in_the_cluster(
    stage: LiveStage, plan: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stage.put(service("api", "api.example.org"))
    before = stage.state()
    assert cli.main(["apply", f"--plan={plan}", *_flags(stage)], {}) == 1
    assert "A api.example.org: nothing in the plan; now create [requested], 192.0.2.1\n" in capsys.readouterr().err
    assert stage.state() == before
    assert _written(stage) == set()
