"""`extdns plan` and `extdns explain` on a live cluster read it and write nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from extdns import cli
from extdns.app import assembly
from tests.fakes.apiserver.server import ApiServer
from tests.objects import dns_endpoint, service
from tests.program.installation import Installation
from tests.program.running import HastyClock


@pytest.fixture
def installation(tmp_path: Path) -> Iterator[Installation]:
    with ApiServer() as server:
        found = Installation(tmp_path, server, example_org="www IN A 192.0.2.99\n")
        found.apply(service("web", "web.example.org"), service("www", "www.example.org"), dns_endpoint("a"))
        yield found


@pytest.mark.parametrize("command", [["plan"], ["explain", "www.example.org"], ["explain", "service/shop/www"]])
def test_plan_and_explain_send_only_get_requests_and_change_no_zone(
    installation: Installation, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    before = installation.zones.contents()
    flags = installation.flags("--source=crd", "--state-configmap=dns/extdns-state", "--events-emit=RecordReady")
    assert cli.main([*command, *flags], {}) in {0, 2}
    output = capsys.readouterr()
    assert "www.example.org" in output.out
    assert output.err == ""
    requests = installation.server.log.requests()
    assert any("configmaps" in request.path for request in requests)
    assert {request.method for request in requests} == {"GET"}
    assert installation.zones.contents() == before


def test_the_plan_is_incomplete_if_ingresses_are_forbidden(
    installation: Installation, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(assembly, "SystemClock", HastyClock)
    for verb in ("list", "watch"):
        installation.server.access.forbid(verb, "ingresses")
    assert cli.main(["plan", *installation.flags("--state-configmap=")], {}) == 1
    output = capsys.readouterr().out
    assert "  + A  web.example.org  " in output
    assert "INCOMPLETE: Ingress objects are forbidden\n" in output
