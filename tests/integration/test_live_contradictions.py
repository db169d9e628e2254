"""The whole program while lists lack existing objects, state is unreadable, or another cluster answers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from urllib.request import urlopen

import pytest

from extdns import cli
from extdns.kube.state_document import build_key
from tests.fakes.apiserver.faults import Empty, Refuse
from tests.fakes.apiserver.options import WatchList
from tests.fakes.apiserver.server import ApiServer
from tests.fakes.apiserver.watches import Order
from tests.objects import service
from tests.program.installation import Installation
from tests.program.running import HANGS_S, Running

PUBLISHED: Final = ["a.example.org A 192.0.2.1", "b.example.org A 192.0.2.1"]


@pytest.fixture
def installation(tmp_path: Path) -> Iterator[Installation]:
    with ApiServer() as server:
        server.api.watch_list = WatchList.GATED
        installation = Installation(tmp_path, server, example_org="")
        installation.apply(service("a", "a.example.org"), service("b", "b.example.org"))
        yield installation


def last_sync(running: Running) -> str:
    found = re.search(rb"^external_dns_controller_last_sync_timestamp_seconds (\S+)$", running.metrics(), re.MULTILINE)
    assert found is not None
    return found[1].decode()


def lose_all(server: ApiServer, *, times: int | None) -> None:
    """Make the API server return empty lists *times* times (None: always), and expire the watches."""
    server.faults.arm(Empty(), verb="list", resource="services", times=times)
    server.expire()
    server.end_watches(Order.EXPIRE)


def test_services_stay_failing_while_a_get_finds_an_object_that_their_list_lacks(installation: Installation) -> None:
    with installation.start("--interval=1s") as running:
        running.until("All records are already up to date")
        lose_all(installation.server, times=None)
        running.until("waiting for confirmation that the object is gone", "b.example.org")
        running.pass_time(61.0)
        running.until("kind=Service", "the list lacks service/shop/")
        running.until_engine_knows(Service="failing")
        before = last_sync(running)
        for _ in range(3):
            running.pass_time(600.0)
        ingress = {"metadata": {"name": "c", "namespace": "shop"}, "spec": {"rules": [{"host": "c.example.org"}]}}
        status = {"status": {"loadBalancer": {"ingress": [{"ip": "192.0.2.3"}]}}}
        installation.apply({"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", **ingress, **status})
        running.until("CREATE c.example.org A")  # other kinds are still published
        assert running.kinds()["services"] == "failing"
        assert last_sync(running) == before
        running.until("successfully updated")
    assert installation.zones.published() == [*PUBLISHED, "c.example.org A 192.0.2.3"]


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


def test_if_another_cluster_answers_at_the_address_records_are_created_and_none_is_updated_or_deleted(
    installation: Installation,
) -> None:
    def kube_system(uid: str) -> dict[str, object]:
        return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "kube-system", "uid": uid}}

    installation.apply(kube_system("11111111-0000-0000-0000-000000000001"))
    with installation.start("--interval=1s") as running:
        running.until("All records are already up to date")
        installation.server.log.wait_for("watch", "services", count=2)
        other = kube_system("22222222-0000-0000-0000-000000000002")
        installation.server.swap(
            [other, service("a", "a.example.org", address="192.0.2.9"), service("c", "c.example.org")]
        )
        running.until("CREATE c.example.org A")
        running.until("successfully updated")
        running.pass_time(61.0)
        running.pass_time(700.0)
        installation.apply(service("d", "d.example.org"))
        running.until("CREATE d.example.org A")
        running.until("successfully updated")
    assert installation.zones.published() == [*PUBLISHED, "c.example.org A 192.0.2.1", "d.example.org A 192.0.2.1"]
