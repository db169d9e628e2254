"""A namespace with 40 % of the records is deleted on purpose, and the deletes are approved.

Nothing shows whether the delete was an accident. external-dns deletes the records at once.

What must hold: all deletes are held under one code while creates and updates of other names go on. The code approves
them, also after a restart, and records of other namespaces stay.
"""

from __future__ import annotations

import json
import os
import re

import pytest

from extdns import cli
from tests.cluster_world import COMPAT, HOUR_S, MINUTE_S, ClusterWorld, start_cluster
from tests.incidents.production import Production, read_page
from tests.objects import namespace, numbered, service, services

GOING, STAYING = numbered(40, "g"), numbered(60, "s")
ALL = [*services(GOING, namespace="old"), *services(STAYING, namespace="shop")]


def delete_namespace(*flags: str) -> ClusterWorld:
    world = start_cluster(*ALL, flags=flags)
    world.delete(*services(GOING, namespace="old"), for_s=5 * MINUTE_S)
    return world


def test_deletes_of_the_namespace_are_held_under_one_approval_code_while_other_names_are_written() -> None:
    world = delete_namespace()
    assert world.held_names() == set(GOING)
    world.apply(service(STAYING[0], address="192.0.2.9"), service("new"), for_s=HOUR_S)
    assert world.published() == {*GOING, *STAYING, "new"}
    assert world.list_records()[f"{STAYING[0]} A"] == ("192.0.2.9",)
    assert len({one.code for one in world.held}) == 1


@pytest.mark.parametrize("restarts", [0, 1])
def test_the_approval_code_of_the_deleted_namespace_approves_its_held_deletes_before_and_after_a_restart(
    restarts: int,
) -> None:
    world = delete_namespace()
    code = world.code
    for _ in range(restarts):
        world = world.restart(for_s=5 * MINUTE_S)
        assert world.published() == {*GOING, *STAYING}
        assert world.code == code
    world.approve()
    assert world.published() == set(STAYING)
    assert world.held_names() == set()


def test_an_approval_does_not_cover_later_deletes() -> None:
    world = delete_namespace()
    world.approve()
    world.run(for_s=HOUR_S)
    world.delete(*services(STAYING[:30]), for_s=HOUR_S)
    assert world.held_names() == set(STAYING[:30])


def test_the_hold_ends_if_the_objects_are_created_again() -> None:
    world = delete_namespace()
    world.apply(*services(GOING, namespace="old"), for_s=MINUTE_S)
    assert world.held_names() == set()
    assert not world.deleted()


def test_with_compat_the_records_of_the_namespace_are_deleted_without_approval() -> None:
    assert delete_namespace(*COMPAT).published() == set(STAYING)


def test_log_events_metrics_and_status_show_the_held_deletes_and_how_to_approve_them(
    production: Production, capsys: pytest.CaptureFixture[str]
) -> None:
    names = GOING[:14]
    production.apply(*services(names))
    with production.process() as running:
        production.until_published(*names)
        production.apply(*services(names, host="else.example.net"))  # the objects stay, so that they can have Events
        production.wait_for_marker()
        running.pass_time(MINUTE_S + 1.0)
        line = running.until("Deletes are held", "count=14", f"{names[0]}.example.org", "hostname-removed 14")
        command, code = re.findall(r"(extdns approve ([0-9a-f-]+) --kubeconfig=[^ \"]+)", line)[0]

        production.until(lambda: production.events("Held").keys() >= set(names))
        for name in names:
            text = production.events("Held")[name]
            assert f"{name}.example.org A [hostname-removed]" in text
            assert f"extdns approve {code}" in text

        metrics = running.metrics().decode()
        for name in names:
            assert re.search(
                rf'^extdns_held_record{{code="{code}",evidence="hostname-removed",name="{name}.example.org",'
                rf'record_type="a",zone="example.org",zone_id="[^"]+"}} 1.0$',
                metrics,
                re.MULTILINE,
            )

        production.until(lambda: code in production.state())
        assert production.run("status") == 0
        output = capsys.readouterr().out.splitlines()
        assert output[0].startswith("14 deletes were held when the state was saved, ")
        assert {f"        {name}.example.org A [hostname-removed]" for name in names} < set(output)
        assert "  [hostname-removed] A newer version of the object no longer requests the record." in output
        assert output[-1] == f"Approve them: {command}"

        with running.page:
            assert cli.main(["status", f"--controller=http://127.0.0.1:{running.page.port}"], {}) == 0
        output = capsys.readouterr().out.splitlines()
        assert output[0] == "14 deletes held."
        assert {f"      {name}.example.org A [hostname-removed]" for name in names} < set(output)
        assert output[-1] == f"Approve them in namespace shop in zone example.org: {command}"

        assert cli.main(command.split()[1:], dict(os.environ)) == 0
        running.pass_time(11.0)
        production.until_published()


def test_held_deletes_of_a_deleted_namespace_are_shown_in_log_metrics_page_and_an_event_in_another_namespace(
    production: Production,
) -> None:
    going = services(GOING, namespace="old")
    production.apply(namespace("old"), *going, service("stays"))
    with production.process() as running:
        production.until_published(*GOING, "stays")
        production.delete(*going)
        production.wait_for_marker(namespace="old")
        production.server.delete("Namespace", "", "old")
        running.pass_time(MINUTE_S + 1.0)
        line = running.until("Deletes are held", "count=40", "object-deleted 40")
        (code,) = re.findall(r"extdns approve ([0-9a-f-]+)", line)

        assert running.metrics().decode().count(f'extdns_held_record{{code="{code}",') == len(GOING)

        def find_events() -> list[str]:
            found = [one for one in production.server.objects("Event") if one["metadata"]["namespace"] == "dns"]
            return [one["note"] for one in found if one["regarding"]["name"] == "extdns-state"]

        production.until(find_events)
        (note,) = find_events()
        assert f"extdns approve {code}" in note

        with running.page:
            shown = read_page(running, "api/v1/held")
            page = read_page(running)
        assert code in page
        (held,) = json.loads(shown)["items"]
        assert (held["approvalCode"], held["namespace"], len(held["records"])) == (code, "old", len(GOING))
        assert production.published() == {*GOING, "stays"}
