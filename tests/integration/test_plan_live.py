"""`extdns plan` and `extdns explain` on a live cluster read it and write nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from extdns import cli
from extdns.app import assembly
from tests.fakes.apiserver.server import ApiServer
from tests.integration.live import HastyClock, LiveStage
from tests.integration.stage import service

pytestmark = pytest.mark.usefixtures("own_logging")

ENDPOINT: Final[dict[str, Any]] = {
    "apiVersion": "externaldns.k8s.io/v1alpha1",
    "kind": "DNSEndpoint",
    "metadata": {"name": "a", "namespace": "shop", "generation": 1},
    "spec": {"endpoints": [{"dnsName": "crd.example.org", "recordType": "A", "targets": ["192.0.2.5"]}]},
}


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[LiveStage]:
    with ApiServer() as server:
        found = LiveStage(tmp_path, server, example_org="www IN A 192.0.2.99\n")
        found.put(service("web", "web.example.org"), service("www", "www.example.org"), ENDPOINT)
        yield found


@pytest.mark.parametrize("command", [["plan"], ["explain", "www.example.org"], ["explain", "service/shop/www"]])
def test_plan_and_explain_send_only_get_requests_and_change_no_zone(
    stage: LiveStage, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    before = stage.state()
    flags = stage.flags("--source=crd", "--state-configmap=dns/extdns-state", "--events-emit=RecordReady")
    assert cli.main([*command, *flags], {}) in {0, 2}
    output = capsys.readouterr()
    assert "www.example.org" in output.out
    assert output.err == ""
    requests = stage.server.log.requests()
    assert any("configmaps" in request.path for request in requests)
    assert {request.method for request in requests} == {"GET"}
    assert stage.state() == before


def test_the_plan_is_incomplete_if_ingresses_are_forbidden(
    stage: LiveStage, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(assembly, "SystemClock", HastyClock)
    for verb in ("list", "watch"):
        stage.server.access.forbid(verb, "ingresses")
    assert cli.main(["plan", *stage.flags("--state-configmap=")], {}) == 1
    output = capsys.readouterr().out
    assert "  + A  web.example.org  " in output
    assert "INCOMPLETE: Ingress objects are forbidden\n" in output
