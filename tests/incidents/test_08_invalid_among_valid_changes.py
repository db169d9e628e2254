"""An invalid name, a CNAME beside another record, and a weighted beside a simple record, among 1,000 valid changes.

external-dns sends all changes of a zone in one batch. The service refuses the whole batch, and nothing is published
until somebody finds the invalid change.

What must hold: the valid changes are published within seconds, each invalid one has a decision with a reason, and
foreign records stay.
"""

from __future__ import annotations

from extdns.model.change import Action
from extdns.model.reason import Reason
from tests.builders import ZONE, record
from tests.cluster_world import MINUTE_S, start_cluster
from tests.incidents.production import Production
from tests.objects import numbered, service, services

NAMES = numbered(1000)
FOREIGN = (
    record("cname", '"v=spf1 -all"', rtype="TXT"),
    record("weighted", "192.0.2.66"),
)
WEIGHTED = {"set-identifier": "blue", "aws-weight": "10"}
BAD = (
    service("invalid", host="in..valid.example.org"),
    service("cname", address="lb.example.net"),
    service("weighted", annotations=WEIGHTED),
)


def test_1000_valid_names_are_published_and_each_invalid_change_has_a_reason() -> None:
    world = start_cluster(records=FOREIGN, for_s=1.0)
    world.apply(*services(NAMES), *BAD, for_s=10.0)
    assert set(NAMES) <= world.published()
    assert world.list_decisions("cname") == [("CNAME", Action.NONE, Reason.INCOMPATIBLE_RECORD)]
    assert [(action, reason) for _, action, reason in world.list_decisions("weighted")] == [
        (Action.KEEP, Reason.FOREIGN_RECORD),
        (Action.NONE, Reason.INCOMPATIBLE_RECORD),
    ]
    assert [str(invalid.reason) for invalid in world.engine.claims.invalid_names()] == ["invalid-name"]
    assert {one.key: one for one in FOREIGN}.items() <= world.provider.contents(ZONE).items()


def test_the_program_publishes_the_valid_names_and_keeps_foreign_records(production: Production) -> None:
    production.dns.put("cname.example.org", "TXT", 60, '"v=spf1 -all"')
    production.dns.put("weighted.example.org", "A", 60, "192.0.2.66")
    with production.process() as running:
        production.apply(*services(NAMES[:30]), *BAD)
        production.until(lambda: set(NAMES[:30]) <= production.published())
        running.pass_time(MINUTE_S)
        production.wait_for_marker()
        assert production.published() == {*NAMES[:30], "cname", "weighted"}
        assert production.dns.records()["cname TXT"] == ('"v=spf1 -all"',)
        assert production.dns.records()["weighted A"] == ("192.0.2.66",)
