"""Two processes have the same owner id and different objects.

A cluster is copied with its Helm values, so that two clusters manage one zone with the same owner id. Each takes the
other's records for its own. external-dns deletes what the other one created, once a minute, without end.

What must hold: records that only the other cluster requests are absent here, so their deletes are held by the budget
for absence. At a name that both request, neither deletes; writes are conditional, and soon the name is `contended` and
written more and more rarely. Updates are not held, because a replaced load balancer must not wait; but a first pass
without saved state that changes many records of ours is reported.
"""

from __future__ import annotations

import re

from extdns.model.reason import Reason
from tests.builders import REGISTRY
from tests.cluster_world import COMPAT, HOUR_S, MINUTE_S, key_of, start_cluster
from tests.incidents.production import OFTEN, Production, read_page
from tests.objects import numbered, service, services
from tests.unit.engine.laws import check_submission

FIFTY = numbered(50)
LEFT, RIGHT = numbered(20, "l"), numbered(20, "r")


def test_neither_of_two_clusters_deletes_the_records_of_the_other() -> None:
    first = start_cluster(*services(LEFT), service("both"))
    copied = start_cluster(*services(RIGHT), service("both", address="192.0.2.2"), provider=first.provider)
    for _ in range(6):
        for world in (first, copied):
            world.now_s = max(first.now_s, copied.now_s)
            world.run(for_s=10 * MINUTE_S)
    assert first.published() == {*LEFT, *RIGHT, "both"}
    assert copied.held_names() == set(LEFT)
    for submission in first.provider.submissions:
        check_submission(submission, REGISTRY)


def test_a_name_that_both_clusters_request_never_disappears_and_becomes_contended() -> None:
    first = start_cluster(service("both"), flags=["--interval=1m"])
    copied = start_cluster(service("both", address="192.0.2.2"), flags=["--interval=1m"], provider=first.provider)
    for _ in range(30):
        for world in (first, copied):
            world.now_s = max(first.now_s, copied.now_s)
            world.run(for_s=MINUTE_S)
            assert set(first.list_records()) == {"both A"}
    assert [one.reason for one in (*first.reported, *copied.reported)].count(Reason.CONTENDED) >= 2
    assert len(first.provider.submissions) <= 15, "fewer than one write a minute"


def test_a_first_pass_without_saved_state_that_changes_most_names_is_reported_for_a_day() -> None:
    first = start_cluster(*services(FIFTY))
    copied = start_cluster(*services(FIFTY[:42], address="192.0.2.2"), provider=first.provider, is_first=True)
    assert set(first.list_records().values()) == {("192.0.2.1",), ("192.0.2.2",)}
    (found,) = copied.engine.bulk_updates.found
    assert str(found).startswith(
        "Without saved state, the first pass changed 42 of 50 names of ours in zone example.org"
    )
    copied.run(for_s=25 * HOUR_S)
    assert not copied.engine.bulk_updates.found


def test_neither_a_pass_that_changes_nothing_nor_one_with_saved_state_is_reported() -> None:
    first = start_cluster(*services(FIFTY))
    swapped = start_cluster(*services(FIFTY), provider=first.provider, is_first=True)
    assert not swapped.engine.bulk_updates.found
    first.objects.update({key_of(one): one for one in services(FIFTY, address="192.0.2.2")})
    restarted = first.restart()
    assert set(first.list_records().values()) == {("192.0.2.2",)}
    assert not restarted.engine.bulk_updates.found


def test_with_compat_each_cluster_deletes_the_records_of_the_other() -> None:
    first = start_cluster(*services(LEFT), flags=["--interval=1m", *COMPAT])
    start_cluster(*services(RIGHT), flags=["--interval=1m", *COMPAT], provider=first.provider)
    assert first.published() == set(RIGHT)
    first.run(for_s=2 * MINUTE_S)
    assert first.published() == set(LEFT)


def test_the_program_holds_deletes_of_the_other_clusters_records_and_reports_a_contended_record(
    production: Production,
) -> None:
    with production.copy_cluster() as copy:
        production.apply(*services(LEFT[:12]), service("both"))
        copy.apply(*services(RIGHT[:12]), service("both", address="192.0.2.2"))
        with production.process(*OFTEN) as first:
            production.until_published(*LEFT[:12], "both")
            with copy.process(*OFTEN) as second:

                def has_changed_back() -> bool:
                    """Pass time, because a contended name waits longer each time; return whether it was written."""
                    second.pass_time(5.0)
                    return copy.dns.records()["both A"] == ("192.0.2.2",)

                copy.until_published(*LEFT[:12], *RIGHT[:12], "both")
                second.pass_time(MINUTE_S + 1.0)
                second.until("Deletes are held", "count=12", "orphan-gone 12")
                for _ in range(2):
                    copy.until(has_changed_back)
                    first.pass_time(MINUTE_S + 6.0)
                    production.until(lambda: production.dns.records()["both A"] == ("192.0.2.1",))
                    second.pass_time(MINUTE_S + 6.0)
                copy.until(has_changed_back)
                first.pass_time(MINUTE_S + 6.0)
                first.until("both.example.org", "contended")
                production.wait_for_marker()
                assert production.dns.records()["both A"] == ("192.0.2.2",)
                assert production.published() == {*LEFT[:12], *RIGHT[:12], "both"}
                production.until(lambda: "Contended" in {one["reason"] for one in production.server.objects("Event")})


def test_the_program_says_in_log_events_metrics_and_page_that_a_copied_cluster_changed_the_records_of_the_other(
    production: Production,
) -> None:
    with production.copy_cluster() as copy:
        production.apply(*services(LEFT[:12]))
        copy.apply(*services(LEFT[:11], address="192.0.2.2"))
        with production.process():
            production.until_published(*LEFT[:12])
        with copy.process(*OFTEN) as second:
            second.until("does another cluster have the same owner id", "count=11", "owned=12")
            copy.until(lambda: len(copy.events("BulkUpdate")) == 6)
            assert {"extdns-state", LEFT[0]} < set(copy.events("BulkUpdate"))
            pattern = r'^extdns_first_pass_bulk_updates{zone="example.org",zone_id="[^"]+"} 11.0$'
            assert re.search(pattern, second.metrics().decode(), re.MULTILINE)
            assert "changed 11 of 12 names of ours" in str(second.controller.read_readiness())
            second.pass_time(2.0)
            with second.page:
                copy.until(lambda: "changed 11 of 12 names of ours" in read_page(second))
