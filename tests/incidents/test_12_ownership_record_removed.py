"""Somebody removes an ownership record by hand, or adds a TXT record at a name that we publish.

Somebody deletes "strange TXT records", or gives a name to another team by replacing its ownership record. Somebody else
needs a verification TXT at a published name.

What must hold: a record without our ownership record is foreign. It is neither changed nor deleted, and the ownership
record is not written again. A foreign TXT record stays when our record at its name is changed and deleted.
"""

from __future__ import annotations

import pytest

from extdns.model.record import Record
from tests.builders import ZONE, ownership_record, record
from tests.cluster_world import HOUR_S, MINUTE_S, start_cluster
from tests.incidents.production import OFTEN, Production
from tests.objects import service

VERIFICATION = record("web", '"google-site-verification=abc"', rtype="TXT")
SPF_AT_OWNERSHIP_NAME = record("a-web", '"v=spf1 -all"', rtype="TXT")


@pytest.mark.parametrize(
    "replacement",
    [
        pytest.param(None, id="removed"),
        pytest.param(SPF_AT_OWNERSHIP_NAME, id="replaced-by-another-txt"),
        pytest.param(ownership_record("web", owner="other"), id="replaced-by-another-owner"),
    ],
)
@pytest.mark.parametrize("restarts", [False, True])
def test_a_record_whose_ownership_record_was_removed_is_neither_changed_nor_deleted(
    *, replacement: Record | None, restarts: bool
) -> None:
    world = start_cluster(service("web"))
    world.provider.remove_records(ZONE, ownership_record("web").key)
    if replacement:
        world.provider.put_records(ZONE, replacement)
    if restarts:
        world = world.restart()
    world.run(for_s=2 * HOUR_S)
    before = world.provider.contents(ZONE)
    world.apply(service("web", address="192.0.2.9"), for_s=HOUR_S)
    world.delete(service("web"), for_s=HOUR_S)
    assert world.provider.contents(ZONE) == before
    assert world.list_records()["web A"] == ("192.0.2.1",)


def test_a_record_is_not_updated_if_its_ownership_record_was_removed_since_the_last_read() -> None:
    world = start_cluster(service("web"))
    world.provider.remove_records(ZONE, ownership_record("web").key)
    world.apply(service("web", address="192.0.2.9"), for_s=HOUR_S)
    assert world.list_records() == {"web A": ("192.0.2.1",)}
    assert world.list_ownership_labels() == set()


def test_a_foreign_txt_stays_when_our_a_record_at_its_name_is_changed_and_deleted() -> None:
    world = start_cluster(service("web"), records=[VERIFICATION])
    world.apply(service("web", address="192.0.2.9"), for_s=5.0)
    assert world.list_records()["web A"] == ("192.0.2.9",)
    world.delete(service("web"), for_s=HOUR_S)
    assert list(world.provider.contents(ZONE).values()) == [VERIFICATION]


@pytest.mark.parametrize("has_refreshed", [False, True])
def test_the_program_leaves_a_record_without_its_ownership_record_unchanged(
    *, production: Production, has_refreshed: bool
) -> None:
    production.apply(service("web"))
    with production.process(*OFTEN) as running:
        production.until_published("web")
        production.dns.put("a-web.example.org", "TXT", 300, '"v=spf1 -all"')
        if has_refreshed:
            running.pass_time(2 * MINUTE_S)
            running.until("web.example.org", "foreign-record")
        production.apply(service("web", address="192.0.2.9"))
        production.wait_for_marker()
        running.until("web.example.org", "foreign-record")
        production.delete(service("web"))
        production.wait_for_marker()
        running.pass_time(HOUR_S)
        production.wait_for_marker()
        assert production.dns.records()["web A"] == ("192.0.2.1",)
        assert production.dns.records()["a-web TXT"] == ('"v=spf1 -all"',)
