"""extdns is started with the kubeconfig of another cluster, which has almost none of the objects.

external-dns deletes every record whose object is missing there.

What must hold: a mass delete is held however small the zones are, and whether or not the saved state is at hand. If
the saved state names another cluster, nothing is updated or deleted until a person accepts the cluster. Records of new
objects are created throughout.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from extdns import cli
from tests.cluster_world import HOUR_S, MINUTE_S
from tests.fakes.apiserver.server import ApiServer
from tests.incidents.production import Production, read_page, route53
from tests.objects import Json, numbered, service, services

ZONES = [f"z{number:02}.test" for number in range(30)]
HOSTS = {f"{name}.{zone}." for zone in ZONES for name in ("a", "b")}
NAMES = numbered(20)
OLD_UID, NEW_UID = "11111111-0000-0000-0000-000000000001", "22222222-0000-0000-0000-000000000002"


def kube_system(uid: str) -> Json:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "kube-system", "uid": uid}}


def extdns(*arguments: str) -> int:
    return cli.main(list(arguments), dict(os.environ))


@pytest.fixture
def small_zones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Production]:
    """Create thirty zones with two published names each, by a process that saved no state."""
    with ApiServer() as server, route53(*ZONES) as dns:
        production = Production(tmp_path, server, dns, monkeypatch)
        production.apply(*(service(host.replace(".", "-")[:-1], host=host[:-1]) for host in HOSTS))
        with production.process():
            production.until_published(*HOSTS)
        yield production


def test_60_deletes_in_30_small_zones_are_held_if_objects_and_saved_state_are_missing(small_zones: Production) -> None:
    with small_zones.copy_cluster() as other:
        other.apply(service("new", host="new.z00.test"))
        with other.start() as running, running.page:
            running.until("No saved state was found")
            other.until(running.controller.first_pass_done.is_set)
            assert "no saved state was found" in str(running.controller.read_readiness()[1]["state"])
            other.until(lambda: "no saved state was found" in read_page(running))
            assert b"extdns_saved_state_known 0.0" in running.metrics()
            running.pass_time(9 * MINUTE_S)
            other.wait_for_marker()
            assert other.published() == {*HOSTS, "new.z00.test."}
            running.pass_time(2 * MINUTE_S)
            running.until("Deletes are held", "count=60", "orphan-gone 60")
            running.pass_time(HOUR_S)
            other.wait_for_marker()
            assert other.published() == {*HOSTS, "new.z00.test."}
            assert b"extdns_saved_state_known 1.0" in running.metrics()
            other.until(lambda: "no saved state was found" not in read_page(running))


def test_updates_and_deletes_wait_until_a_person_accepts_the_other_cluster(
    production: Production, capsys: pytest.CaptureFixture[str]
) -> None:
    production.apply(kube_system(OLD_UID), *services(NAMES))
    with production.process() as running, running.page:
        production.until_published(*NAMES)
        production.until(lambda: OLD_UID in production.state())
        production.server.swap([kube_system(NEW_UID), service(NAMES[0], address="192.0.2.9"), service("new")])
        line = running.until("The objects come from another cluster", "extdns accept-cluster ")
        production.wait_for_marker()
        running.pass_time(HOUR_S)
        production.wait_for_marker()
        assert production.published() == {*NAMES, "new"}
        assert production.dns.records()[f"{NAMES[0]} A"] == ("192.0.2.1",)

        command = line.partition('approve="')[2].partition('"')[0]
        code = command.split()[2]
        assert code in str(running.controller.read_readiness()[1]["cluster"])
        production.until(lambda: command in read_page(running))
        production.until(lambda: code in production.state())
        for where in (command.split()[3:], [f"--controller=http://127.0.0.1:{running.page.port}"]):
            assert extdns("status", *where) == 0
            assert f"Continue with this cluster: {command}" in capsys.readouterr().out

        assert extdns(*command.split()[1:]) == 0
        running.pass_time(11.0)
        production.until(lambda: production.dns.records()[f"{NAMES[0]} A"] == ("192.0.2.9",))
        running.until("Deletes are held", "count=19")
        running.pass_time(11.0)
        production.until(lambda: NEW_UID in production.state())
        assert extdns("status", *command.split()[3:]) == 0
        assert "another cluster" not in capsys.readouterr().out


def test_a_process_on_another_cluster_deletes_no_record_and_updates_records_once_the_cluster_is_accepted(
    production: Production, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "state"
    state = f"--state-file={path}"
    production.apply(kube_system(OLD_UID), *services(NAMES))
    with production.process(state):
        production.until_published(*NAMES)
        production.until(lambda: path.exists() and OLD_UID in path.read_text(encoding="utf-8"))
    with production.copy_cluster() as other:
        other.apply(kube_system(NEW_UID), service(NAMES[0], address="192.0.2.9"), service("new"))
        with other.process(state) as running:
            other.wait_for_marker()
            running.pass_time(HOUR_S)
            other.wait_for_marker()
            assert other.published() == {*NAMES, "new"}
            other.until(lambda: extdns("status", state) == 0 and "extdns accept-cluster" in capsys.readouterr().out)
        assert extdns("status", state) == 0
        (command,) = (
            line for line in capsys.readouterr().out.splitlines() if line.startswith("Continue with this cluster: ")
        )
        assert extdns(*command.partition(": extdns ")[2].split()) == 0
        with other.process(state):
            other.until(lambda: other.dns.records()[f"{NAMES[0]} A"] == ("192.0.2.9",))
