"""The whole program while lists lack existing objects, state is unreadable, or another cluster answers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from urllib.request import urlopen

import pytest

from extdns import cli
from extdns.kube.state_document import build_key
from tests.fakes.apiserver.faults import Refuse
from tests.fakes.apiserver.options import WatchList
from tests.fakes.apiserver.server import ApiServer
from tests.objects import service
from tests.program.installation import Installation
from tests.program.running import HANGS_S

PUBLISHED: Final = ["a.example.org A 192.0.2.1", "b.example.org A 192.0.2.1"]


@pytest.fixture
def installation(tmp_path: Path) -> Iterator[Installation]:
    with ApiServer() as server:
        server.api.watch_list = WatchList.GATED
        installation = Installation(tmp_path, server, example_org="")
        installation.apply(service("a", "a.example.org"), service("b", "b.example.org"))
        yield installation


def test_saved_state_is_read_again_within_seconds_after_a_server_error(installation: Installation) -> None:
    flags = ("--state-configmap=dns/extdns-state", "--state-file=")
    installation.server.faults.arm(Refuse(code=500), verb="get", resource="configmaps")
    with installation.start(*flags) as running:
        running.until("Cannot load or save state")
        running.until("successfully updated")
        running.pass_time(2.0)
        installation.server.log.wait_for("create", "configmaps")


def test_readyz_and_page_say_that_earlier_holds_are_unknown_until_state_is_read(installation: Installation) -> None:
    flags = ("--state-configmap=dns/extdns-state", "--state-file=", "--web-address=127.0.0.1:0", "--interval=1s")
    installation.server.forbid("get", "configmaps")
    with installation.start(*flags) as running, running.page:
        running.until("All records are already up to date")
        message = running.controller.read_readiness()[1]["state"]
        assert "earlier holds are unknown" in str(message)
        with urlopen(f"http://127.0.0.1:{running.page.port}/api/v1/held", timeout=HANGS_S) as answer:
            assert "earlier holds are unknown" in json.load(answer)["problem"]
        with urlopen(f"http://127.0.0.1:{running.page.port}/", timeout=HANGS_S) as answer:
            assert "earlier holds are unknown" in answer.read().decode()
        installation.server.permit("get", "configmaps")
        running.pass_time(301.0)
        installation.server.log.wait_for("create", "configmaps")


@pytest.mark.parametrize("is_undecodable", [False, True], ids=["not-configured", "is_undecodable"])
def test_missing_saved_state_is_reported_on_readyz_and_page_and_the_process_stays_ready(
    installation: Installation, *, is_undecodable: bool
) -> None:
    configmap_name = "dns/extdns-state" if is_undecodable else ""
    if is_undecodable:
        broken = {"metadata": {"name": "extdns-state", "namespace": "dns"}, "data": {build_key("me"): "{"}}
        installation.apply({"apiVersion": "v1", "kind": "ConfigMap", **broken})
    flags = (f"--state-configmap={configmap_name}", "--state-file=", "--web-address=127.0.0.1:0", "--interval=1s")
    with installation.start(*flags) as running, running.page:
        running.until("All records are already up to date")
        problem = "the saved state was lost" if is_undecodable else "no state is saved: neither --state-configmap"
        is_ready, detail = running.controller.read_readiness()
        assert is_ready
        assert problem in str(detail["state"])
        with urlopen(f"http://127.0.0.1:{running.page.port}/", timeout=HANGS_S) as answer:
            assert problem in answer.read().decode()
        assert b"extdns_saved_state_known 0.0" in running.metrics()


def test_one_log_line_says_that_no_state_store_is_configured(
    installation: Installation, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main([*installation.flags("--state-configmap=", "--state-file="), "--once"], {}) == 0
    log = capsys.readouterr()
    assert (log.out + log.err).count("No state is saved: neither") == 1


def test_a_first_start_without_saved_state_reports_no_problem(installation: Installation) -> None:
    flags = ("--state-configmap=dns/extdns-state", "--state-file=", "--interval=1s")
    with installation.start(*flags) as running:
        running.until("All records are already up to date")
        assert "state" not in running.controller.read_readiness()[1]
        assert b"extdns_saved_state_known 1.0" in running.metrics()
