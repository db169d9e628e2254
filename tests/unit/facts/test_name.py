"""What is said of a name: all that stands there, what cannot be known, and the same as the list of names says."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from extdns.config import parse
from extdns.engine.inputs import Observed
from extdns.errors import UsageError
from extdns.facts.name import NameFacts, name_facts
from extdns.facts.names import Names, State
from extdns.facts.nametext import name_text
from extdns.facts.object import object_facts_of, object_text
from extdns.facts.snapshot import Snapshot
from extdns.model.domains import DomainFilter
from extdns.model.name import DnsName
from extdns.model.reason import Reason
from extdns.model.record import Record
from extdns.model.zone import AccountFailure, Zone, ZoneList
from extdns.ports import Registry
from registry.noop import NoopRegistry
from tests.unit.engine import test_contests as contests
from tests.unit.engine.stage import (
    INGRESS,
    PLAN,
    REGISTRY,
    SERVICE,
    Stage,
    mark,
    owned,
    phase,
    record,
    seen,
    stage,
    wants,
)
from tests.unit.facts.cases import ASKED, CNAME, NAMES, OTHER_NAMES, WEB, after, dry, unread

CONFIG = parse(["--source=service", "--provider=inmemory", "--txt-owner-id=me"], {})
INNER = Zone(name=DnsName("sub.example.org"), id="inner")


def explained(world: Stage, name: str = WEB) -> NameFacts:
    now = Snapshot(world.engine)
    return name_facts(now, DnsName(name), CONFIG, zones_known=len(now.zones), missing=now.missing)


def text(facts: NameFacts) -> str:
    return "\n".join(name_text(facts))


def dual(*records: str) -> Stage:
    """An A and an AAAA are asked for, of which the A stands; *records* are AAAA records of somebody else."""
    foreign = [record("web", target, rtype="AAAA") for target in records]
    return dry(
        *owned("web"), *foreign, first=[seen("web", wants("web", "web"), wants("web", "web", "::1", rtype="AAAA"))]
    )


def beaten() -> Stage:
    """Two namespaces want the name, and the record of one stands."""
    return contests.world(
        *contests.published("192.0.2.1", by="blue"),
        first=[
            contests.seen("blue", contests.wants("blue", "192.0.2.1")),
            contests.seen("green", contests.wants("green", "192.0.2.2", contests.NEW)),
        ],
    )


def routed() -> Stage:
    """Blue stands, and green is new."""
    blue, green = (wants("web", "web", set_identifier=one) for one in ("blue", "green"))
    stands = (replace(one, set_identifier="blue") for one in owned("web"))
    return dry(*stands, first=[seen("web", blue, green)])


@pytest.mark.parametrize(
    ("world", "answer", "state", "reason"),
    [
        pytest.param(
            dual("::2"),
            "is published, but for AAAA, which stays as it stands.",
            State.KEPT,
            Reason.FOREIGN_RECORD,
            id="a-type-is-somebody-elses",
        ),
        pytest.param(
            dual(),
            "is published, but for AAAA, which would be created.",
            State.CHANGING,
            Reason.WANTED,
            id="a-new-type",
        ),
        pytest.param(beaten(), "is published.", State.PUBLISHED, Reason.PROGRAMMED, id="who-lost-does-not-count"),
        pytest.param(
            routed(),
            "is published, but for A (green), which would be created.",
            State.CHANGING,
            Reason.WANTED,
            id="a-new-set-identifier",
        ),
        pytest.param(
            dry(*owned("web"), first=[CNAME]),
            "is published, but not as it should be; it would be updated.",
            State.CHANGING,
            Reason.WANTED,
            id="another-type",
        ),
        pytest.param(
            dry(record("web", "::9", rtype="AAAA"), first=[ASKED]),
            "is not published.",
            State.NOT_PUBLISHED,
            Reason.FOREIGN_RECORD,
            id="beside-another-type-of-somebody-else",
        ),
    ],
)
def test_what_is_worst_off_decides(world: Stage, answer: str, state: State, reason: Reason) -> None:
    facts = explained(world)
    assert (facts.answer, facts.state, facts.reason) == (f"{WEB} {answer}", state, reason)
    (row,) = Names(Snapshot(world.engine).decisions).rows
    assert (row.state, row.main.reason) == (state, reason)


@pytest.mark.parametrize("reason", NAMES)
def test_the_list_of_names_says_the_same(reason: Reason) -> None:
    world, name = NAMES[reason](), OTHER_NAMES.get(reason, WEB)
    facts = explained(world, name)
    listed = {row.name: (row.state, row.main.reason) for row in Names(Snapshot(world.engine).decisions).rows}
    assert listed.get(DnsName(name), (None, facts.reason)) == (facts.state, facts.reason)


def test_an_object_is_as_well_off_as_the_worst_of_its_records() -> None:
    facts = object_facts_of(Snapshot(dual("::2").engine), "service/shop/web", ())
    assert facts.answer == "Service shop/web asks for 1 name; 0 of 1 published as asked."
    lost = object_facts_of(Snapshot(beaten().engine), "service/green/web", ())
    assert lost.answer == "Service green/web asks for 1 name; 0 of 1 published as asked."
    won = object_facts_of(Snapshot(beaten().engine), "service/blue/web", ())
    assert won.answer == "Service blue/web asks for 1 name; 1 of 1 published as asked."


def test_an_ownership_record_is_told_with_what_it_marks() -> None:
    facts = explained(dry(*owned("web"), first=[ASKED]), "a-web.example.org")
    (one,) = facts.records
    assert (one.marks, one.owner, one.ours, one.outcome) == ((f"A {WEB}",), "me", True, None)
    assert (facts.answer, facts.reason) == (f"a-web.example.org holds the ownership record of A {WEB}.", None)
    assert f'ownership record of A {WEB}; owner "me", made for service/shop/web\n' in text(facts)
    assert text(facts).endswith("Next: nothing to do; extdns leaves it as it is")


def test_an_ownership_record_may_mark_nothing() -> None:
    facts = explained(dry(mark("web")), "a-web.example.org")
    assert facts.answer == "a-web.example.org holds the ownership record of nothing that stands."
    assert [(one.marks, one.owner) for one in facts.records] == [((), None)]


@pytest.mark.parametrize("registry", [REGISTRY, NoopRegistry()])
def test_what_is_not_managed_is_told_as_somebody_elses(registry: Registry) -> None:
    facts = explained(dry(record("web", "10 mx.test", rtype="MX"), registry=registry))
    assert facts.answer == f"{WEB} stands, and no object asks for it; it is not ours."
    (one,) = facts.records
    assert one.outcome is not None
    assert (one.type, one.ours, one.outcome.reason, facts.reason) == ("MX", False, "type-unmanaged", "type-unmanaged")
    assert facts.closest == ()


@pytest.mark.parametrize(
    ("stands", "asked", "rtype"),
    [
        pytest.param(record("web", '"v=spf1"', rtype="TXT"), CNAME, "TXT", id="a-text-where-a-cname-goes"),
        pytest.param(
            record("web", "ns.example.net", rtype="CNAME"), ASKED, "CNAME", id="a-cname-where-an-address-goes"
        ),
    ],
)
def test_what_is_not_managed_may_be_in_the_way(stands: Record, asked: Observed, rtype: str) -> None:
    managed = PLAN.managed_types - {rtype}
    facts = explained(dry(stands, first=[asked], plan=replace(PLAN, managed_types=managed)))
    assert facts.answer == (
        f"{WEB} is not published yet; it would be created, but the DNS service will refuse it beside {rtype}."
    )
    assert [one.in_the_way for one in facts.records] == [True]
    assert "  the DNS service will refuse what would be created beside it\n" in text(facts)
    assert "Next: set right what is in the way" in text(facts)


def test_what_is_not_managed_is_seldom_in_the_way() -> None:
    facts = explained(dry(record("web", "10 mx.test", rtype="MX"), first=[ASKED]))
    assert facts.answer == f"{WEB} is not published yet; it would be created."
    assert [(one.type, one.in_the_way) for one in facts.records] == [("MX", False)]


def test_what_is_ours_and_outside_the_domain_filters_is_told() -> None:
    filtered = replace(PLAN, domains=DomainFilter(include=("example.net",)))
    asked = explained(dry(*owned("web"), first=[ASKED], plan=filtered))
    assert asked.answer == f"{WEB} stands, and is left alone: the configuration leaves it out."
    facts = explained(dry(*owned("web"), first=[seen("web")], plan=filtered))
    assert facts.answer == f"{WEB} stands, and no object asks for it; it is left alone."
    assert [(one.ours, one.ownership_records) for one in facts.records] == [(True, ("a-web.example.org",))]
    assert facts.reason == "domain-filtered"


@pytest.mark.parametrize(
    ("name", "found"),
    [
        pytest.param("y.example.org", ["*.example.org"], id="right-below"),
        pytest.param("x.y.example.org", ["*.example.org"], id="further-down"),
        pytest.param("x.web.example.org", [], id="below-a-name-that-stands"),
        pytest.param("x.c.example.org", [], id="below-a-name-that-only-leads-on"),
        pytest.param("c.example.org", [], id="a-name-that-only-leads-on"),
        pytest.param("web.example.org", [], id="where-something-stands"),
        pytest.param("example.org", [], id="the-zone-itself"),
        pytest.param("y.example.net", [], id="in-no-zone"),
    ],
)
def test_where_nothing_stands_a_wildcard_may_answer(name: str, found: list[str]) -> None:
    world = dry(*owned("web"), record("b.c"), record("*"), record("*", "::1", rtype="AAAA"), first=[ASKED])
    facts = explained(world, name)
    assert [one.name for one in facts.wildcards] == found
    if found:
        assert facts.answer.endswith("no object asks for it. *.example.org answers in its place.")
        assert "  wildcard      *.example.org A, AAAA in example.org\n" in text(facts)


def test_what_stands_in_a_zone_that_was_not_read_is_not_known() -> None:
    facts = explained(unread())
    assert (facts.state, facts.reason, facts.unread) == (State.UNKNOWN, "zone-unread", facts.zones)
    assert facts.answer == f"{WEB} may be published or not: what stands there could not be read."
    assert "  record        not known in example.org, which could not be read\n" in text(facts)
    assert "none stands there" not in text(facts)
    assert text(facts).endswith("Next: ask again once everything can be read")
    nobody = explained(unread(), "other.example.org")
    assert (nobody.state, nobody.reason) == (None, None)
    assert nobody.answer.startswith("other.example.org may be published or not: ")
    assert "  asked for by  no object, as far as could be read\n" in text(nobody)


def test_the_names_of_an_object_in_such_a_zone_are_not_known_either() -> None:
    facts = object_facts_of(Snapshot(unread().engine), "service/shop/web", ("zone example.org cannot be read",))
    assert facts.answer == "Service shop/web asks for 1 name; 0 of 1 published as asked, 1 not known."
    assert "INCOMPLETE: zone example.org cannot be read" in "\n".join(object_text(facts))


@pytest.mark.parametrize("permanent", [False, True])
def test_a_zone_may_be_among_those_that_could_not_be_listed(permanent: bool) -> None:
    world = stage()
    failed = AccountFailure(account="b", message="denied", permanent=permanent)
    world.provider.zone_list = ZoneList(zones=(), failed=(failed,))
    facts = explained(after(world, ASKED, phase(SERVICE), phase(INGRESS)))
    assert (facts.state, facts.all_zones) == (State.NOT_PUBLISHED if permanent else State.UNKNOWN, False)
    assert facts.answer == f"{WEB} may be published or not: what stands there could not be read."
    assert "the name lies in none of them; not all could be listed\n" in text(facts)
    assert "  record        not known: not all zones could be listed\n" in text(facts)
    assert text(facts).endswith("Next: ask again once everything can be read")
    answer = object_facts_of(Snapshot(world.engine), "service/shop/web", facts.missing).answer
    assert answer.endswith("0 of 1 published as asked, as far as could be read." if permanent else ", 1 not known.")


def test_an_object_that_is_not_there_may_not_have_been_read() -> None:
    now = Snapshot(dry(first=[ASKED]).engine)
    with pytest.raises(UsageError) as raised:
        object_facts_of(now, "ingress/shop/i", ("Ingress objects are forbidden",))
    assert str(raised.value).startswith(
        "no object ingress/shop/i is read, as far as could be read\n  INCOMPLETE: Ingress objects are forbidden\n"
    )
