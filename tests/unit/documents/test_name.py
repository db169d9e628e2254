"""The explanation of a name: its current records, what is unknown, and its state."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from extdns.documents.changes import ChangeAction, ChangeDocument
from extdns.documents.document import build_zone_reference
from extdns.documents.name import TimelineEvent, build_timeline
from extdns.documents.names import NameIndex, NameState
from extdns.documents.object import build_object, format_object
from extdns.documents.snapshot import EngineSnapshot
from extdns.engine.inputs import Observed
from extdns.errors import UsageError
from extdns.model.change import OutcomeWord
from extdns.model.claim import Claim, ExcludedClaim, InvalidClaim
from extdns.model.dns_name import DnsName
from extdns.model.reason import Reason
from extdns.model.record import Record
from extdns.model.selection import DomainFilter
from extdns.model.zone import AccountFailure, Zone, ZoneList
from extdns.ports import Registry
from registry.noop.registry import NoopRegistry
from tests.builders import (
    INGRESS,
    PLAN,
    REGISTRY,
    SERVICE,
    ZONE,
    build_claim,
    change_phase,
    observe,
    origin,
    owned,
    ownership_record,
    record,
    ref,
)
from tests.cluster_world import start_cluster
from tests.fakes.clocks import BEGINNING
from tests.objects import service
from tests.unit.documents.cases import (
    CNAME,
    CONFIG,
    NAMES,
    OTHER_NAMES,
    REQUESTED,
    WEB,
    build_unread,
    explain,
    look,
    render,
    run_on,
    start_dry,
)
from tests.unit.engine import test_contests as contests
from tests.unit.web.page_process import process
from tests.world import World, build_world, start_world


def build_dual(*records: str) -> World:
    """Return a world that requests A and AAAA. The A is published; *records* are targets of foreign AAAA records."""
    foreign = [record("web", target, rtype="AAAA") for target in records]
    return start_dry(
        *owned("web"),
        *foreign,
        first=[observe("web", build_claim("web", "web"), build_claim("web", "web", "::1", rtype="AAAA"))],
    )


def build_contest() -> World:
    """Return a world in which two namespaces request the name; the record of `blue` is published."""
    return contests.start_contest(
        *contests.owned_by("192.0.2.1", by="blue"),
        first=[
            contests.observe_in("blue", contests.claim_in("blue", "192.0.2.1")),
            contests.observe_in("green", contests.claim_in("green", "192.0.2.2", contests.NEW)),
        ],
    )


def build_routed() -> World:
    """Return a world with two requested routed records: `blue` is published, `green` is not yet."""
    blue, green = (build_claim("web", "web", set_identifier=one) for one in ("blue", "green"))
    current = (replace(one, set_identifier="blue") for one in owned("web"))
    return start_dry(*current, first=[observe("web", blue, green)])


@pytest.mark.parametrize(
    ("world", "answer", "state", "reason"),
    [
        pytest.param(
            build_dual("::2"),
            "is published, except for AAAA, which stays unchanged.",
            NameState.OUT_OF_SYNC,
            Reason.FOREIGN_RECORD,
            id="foreign-record-of-one-type",
        ),
        pytest.param(
            build_dual(),
            "is published, except for AAAA, which would be created.",
            NameState.CHANGING,
            Reason.REQUESTED,
            id="a-new-type",
        ),
        pytest.param(
            build_contest(), "is published.", NameState.PUBLISHED, Reason.PUBLISHED, id="rejected-claim-does-not-count"
        ),
        pytest.param(
            build_routed(),
            "is published, except for A (green), which would be created.",
            NameState.CHANGING,
            Reason.REQUESTED,
            id="a-new-set-identifier",
        ),
        pytest.param(
            start_dry(*owned("web"), first=[CNAME]),
            "is published, but not as requested; it would be updated.",
            NameState.CHANGING,
            Reason.REQUESTED,
            id="another-type",
        ),
        pytest.param(
            start_dry(record("web", "::9", rtype="AAAA"), first=[REQUESTED]),
            "is not published.",
            NameState.NOT_PUBLISHED,
            Reason.FOREIGN_RECORD,
            id="foreign-record-of-another-type",
        ),
    ],
)
def test_the_worst_record_decides_the_state_of_a_name(
    world: World, answer: str, state: NameState, reason: Reason
) -> None:
    document = explain(world)
    assert (document.answer, document.state, document.reason) == (f"{WEB} {answer}", state, reason)
    (row,) = NameIndex(EngineSnapshot(world.engine).decisions).rows
    assert (row.state, row.worst.reason) == (state, reason)


@pytest.mark.parametrize("reason", NAMES)
def test_the_list_of_names_and_the_explanation_show_the_same_state(reason: Reason) -> None:
    world, name = NAMES[reason](), OTHER_NAMES.get(reason, WEB)
    document = explain(world, name)
    listed = {row.name: (row.state, row.worst.reason) for row in NameIndex(EngineSnapshot(world.engine).decisions).rows}
    assert listed.get(DnsName(name), (None, document.reason)) == (document.state, document.reason)


def test_an_object_counts_a_name_as_published_only_if_all_records_that_it_requests_there_are() -> None:
    document = build_object(EngineSnapshot(build_dual("::2").engine), "service/shop/web", CONFIG, ())
    assert document.answer == "Service shop/web requests 1 name; 0 of 1 published as requested."
    loser = build_object(EngineSnapshot(build_contest().engine), "service/green/web", CONFIG, ())
    assert loser.answer == "Service green/web requests 1 name; 0 of 1 published as requested."
    winner = build_object(EngineSnapshot(build_contest().engine), "service/blue/web", CONFIG, ())
    assert winner.answer == "Service blue/web requests 1 name; 1 of 1 published as requested."


def test_explaining_the_name_of_an_ownership_record_shows_the_record_that_it_covers() -> None:
    document = explain(start_dry(*owned("web"), first=[REQUESTED]), "a-web.example.org")
    (one,) = document.records
    assert (one.ownership_of, one.owner, one.ours, one.outcome) == ((f"A {WEB}",), "me", True, None)
    assert (document.answer, document.reason) == (f"a-web.example.org holds the ownership record of A {WEB}.", None)
    assert f'ownership record of A {WEB}; owner "me", resource service/shop/web\n' in render(document)
    assert render(document).endswith("Next: nothing to do; extdns leaves the name as it is")


def test_explaining_an_ownership_record_that_covers_no_current_record_says_so() -> None:
    document = explain(start_dry(ownership_record("web")), "a-web.example.org")
    assert document.answer == "a-web.example.org holds the ownership record of no current record."
    assert [(one.ownership_of, one.owner) for one in document.records] == [((), None)]


@pytest.mark.parametrize("registry", [REGISTRY, NoopRegistry()])
def test_a_record_of_an_unmanaged_type_is_shown_as_not_ours(registry: Registry) -> None:
    document = explain(start_dry(record("web", "10 mx.test", rtype="MX"), registry=registry))
    assert document.answer == f"{WEB} exists, but no object requests it; it is not ours."
    (one,) = document.records
    assert one.outcome is not None
    assert (one.type, one.ours, one.outcome.reason, document.reason) == (
        "MX",
        False,
        "type-unmanaged",
        "type-unmanaged",
    )
    assert document.closest == ()


@pytest.mark.parametrize(
    ("current", "requesting", "rtype"),
    [
        pytest.param(record("web", '"v=spf1"', rtype="TXT"), CNAME, "TXT", id="txt-blocks-cname"),
        pytest.param(record("web", "ns.example.net", rtype="CNAME"), REQUESTED, "CNAME", id="cname-blocks-address"),
    ],
)
def test_the_explanation_says_if_a_record_of_an_unmanaged_type_blocks_a_requested_record(
    current: Record, requesting: Observed, rtype: str
) -> None:
    managed = PLAN.managed_types - {rtype}
    document = explain(start_dry(current, first=[requesting], plan=replace(PLAN, managed_types=managed)))
    assert (document.answer, document.reason) == (f"{WEB} is not published.", "incompatible-record")
    assert f"the requested record cannot coexist with the {rtype} record, which stays" in render(document)
    assert [one.blocks_requested for one in document.records] == [True]
    assert "  the requested record cannot coexist with it, and is not created\n" in render(document)
    assert "Next: remove one of the two records, or change it so that both can coexist" in render(document)


def test_a_record_of_an_unmanaged_type_that_can_coexist_with_a_requested_record_does_not_block_it() -> None:
    document = explain(start_dry(record("web", "10 mx.test", rtype="MX"), first=[REQUESTED]))
    assert document.answer == f"{WEB} is not published yet; it would be created."
    assert [(one.type, one.blocks_requested) for one in document.records] == [("MX", False)]


def test_explaining_a_name_that_a_domain_filter_excludes_shows_our_record_there_and_that_it_is_left_alone() -> None:
    filtered = replace(PLAN, domains=DomainFilter(include=("example.net",)))
    requesting = explain(start_dry(*owned("web"), first=[REQUESTED], plan=filtered))
    assert requesting.answer == f"{WEB} exists, but is left alone: a filter excludes it."
    document = explain(start_dry(*owned("web"), first=[observe("web")], plan=filtered))
    assert document.answer == f"{WEB} exists, but no object requests it; it is left alone."
    assert [(one.ours, one.ownership_records) for one in document.records] == [(True, ("a-web.example.org",))]
    assert document.reason == "domain-filtered"


@pytest.mark.parametrize(
    ("name", "found"),
    [
        pytest.param("y.example.org", ["*.example.org"], id="one-label-below-the-zone"),
        pytest.param("x.y.example.org", ["*.example.org"], id="two-labels-below-the-zone"),
        pytest.param("x.web.example.org", [], id="below-a-name-with-records"),
        pytest.param("x.c.example.org", [], id="below-an-empty-non-terminal"),
        pytest.param("c.example.org", [], id="empty-non-terminal"),
        pytest.param("web.example.org", [], id="name-with-records"),
        pytest.param("example.org", [], id="the-zone-itself"),
        pytest.param("y.example.net", [], id="without-zone"),
    ],
)
def test_explaining_a_name_without_records_shows_the_wildcard_that_answers_for_it(name: str, found: list[str]) -> None:
    world = start_dry(*owned("web"), record("b.c"), record("*"), record("*", "::1", rtype="AAAA"), first=[REQUESTED])
    document = explain(world, name)
    assert [one.name for one in document.wildcards] == found
    if found:
        assert document.answer.endswith("no object requests it. *.example.org answers in its place.")
        assert "  wildcard      *.example.org A, AAAA in example.org\n" in render(document)


def test_the_state_of_a_name_is_unknown_if_its_zone_could_not_be_read() -> None:
    document = explain(build_unread())
    assert (document.state, document.reason, document.unread_zones) == (
        NameState.UNKNOWN,
        "zone-unread",
        document.zones,
    )
    assert document.answer == f"{WEB} may be published or not: the current records could not be read."
    assert "  record        not known in example.org, which could not be read\n" in render(document)
    assert "no record" not in render(document)
    assert render(document).endswith(
        "Next: try again when everything can be read. What cannot be read: extdns check [flags]"
    )
    nobody = explain(build_unread(), "other.example.org")
    assert (nobody.state, nobody.reason) == (None, None)
    assert nobody.answer.startswith("other.example.org may be published or not: ")
    assert "  requested by  no object, as far as could be read\n" in render(nobody)


def test_the_state_of_the_names_of_an_object_is_unknown_if_their_zone_could_not_be_read() -> None:
    document = build_object(
        EngineSnapshot(build_unread().engine), "service/shop/web", CONFIG, ("zone example.org cannot be read",)
    )
    assert document.answer == "Service shop/web requests 1 name; 0 of 1 published as requested, 1 not known."
    assert "INCOMPLETE: zone example.org cannot be read" in "\n".join(format_object(document))


@pytest.mark.parametrize("permanent", [False, True])
def test_whether_a_name_is_published_is_unknown_if_an_account_could_not_list_its_zones(permanent: bool) -> None:
    world = build_world()
    failed = AccountFailure(account="b", message="denied", permanent=permanent)
    world.provider.zone_list = ZoneList(zones=(), failed=(failed,))
    document = explain(run_on(world, REQUESTED, change_phase(SERVICE), change_phase(INGRESS)))
    assert (document.state, document.all_zones) == (NameState.NOT_PUBLISHED if permanent else NameState.UNKNOWN, False)
    assert document.answer == f"{WEB} may be published or not: the current records could not be read."
    assert "can hold the name; the list of zones is incomplete\n" in render(document)
    assert "  record        not known: the list of zones is incomplete\n" in render(document)
    assert render(document).endswith(
        "Next: try again when everything can be read. What cannot be read: extdns check [flags]"
    )
    answer = build_object(EngineSnapshot(world.engine), "service/shop/web", CONFIG, document.missing).answer
    assert answer.endswith("0 of 1 published as requested, as far as could be read." if permanent else ", 1 not known.")


def test_the_error_about_an_unknown_object_lists_what_extdns_could_not_read() -> None:
    now = EngineSnapshot(start_dry(first=[REQUESTED]).engine)
    with pytest.raises(UsageError) as raised:
        build_object(now, "ingress/shop/i", CONFIG, ("Ingress objects are forbidden",))
    assert str(raised.value).startswith(
        "no object ingress/shop/i is read, as far as could be read\n  INCOMPLETE: Ingress objects are forbidden\n"
    )


def explain_object(*claims: Claim) -> str:
    """Return the explanation of the Service `web`, which has *claims*."""
    world = start_dry(first=[observe("web", *claims)])
    return "\n".join(format_object(build_object(EngineSnapshot(world.engine), "service/shop/web", CONFIG, ())))


@pytest.mark.parametrize(
    ("claims", "answer", "following"),
    [
        pytest.param(
            [ExcludedClaim(ref=ref("web"), excluded_by="--label-filter")],
            "publishes nothing: --label-filter excludes it.",
            "change --label-filter, or the object",
            id="filter",
        ),
        pytest.param(
            [ExcludedClaim(ref=ref("web"), excluded_by="--publish-internal-services", name=DnsName(WEB))],
            "publishes nothing: --publish-internal-services is not set.",
            "add --publish-internal-services",
            id="flag that is not set",
        ),
        pytest.param(
            [ExcludedClaim(ref=ref("web"), excluded_by="spec.parentRefs: there is no Gateway a/b", name=DnsName(WEB))],
            "publishes nothing: there is no Gateway a/b (spec.parentRefs).",
            "correct spec.parentRefs: there is no Gateway a/b",
            id="missing object",
        ),
        pytest.param(
            [ExcludedClaim(ref=ref("web"), excluded_by="spec.gateways, which names no Gateway", name=DnsName(WEB))],
            "publishes nothing: spec.gateways, which names no Gateway, excludes it.",
            "change spec.gateways, which names no Gateway, or the object",
            id="field without a value",
        ),
        pytest.param(
            [InvalidClaim(provenance=origin("web"), reason=Reason.INVALID_NAME, value="a..b", allowed="a name")],
            "requests no name.",
            "correct what is marked with an exclamation mark",
            id="invalid value",
        ),
        pytest.param(
            [],
            "requests no name.",
            "a name is requested by the annotation external-dns.kubernetes.io/hostname",
            id="no annotation",
        ),
        pytest.param(
            [build_claim("web", "web")],
            "requests 1 name; 0 of 1 published as requested.",
            "trace one name: extdns explain web.example.org [flags]",
            id="requested name",
        ),
    ],
)
def test_the_explanation_of_an_object_says_whether_it_requests_names_and_what_to_do_next(
    claims: list[Claim], answer: str, following: str
) -> None:
    lines = explain_object(*claims).split("\n")
    assert lines[0] == f"Service shop/web {answer}"
    assert lines[-1] == f"Next: {following}"


def test_the_explanation_of_a_name_says_which_object_named_by_the_requesting_object_does_not_exist() -> None:
    absent = ExcludedClaim(ref=ref("web"), excluded_by="spec.parentRefs: there is no Gateway a/b", name=DnsName(WEB))
    text = render(explain(start_dry(first=[observe("web", absent)])))
    assert "Service shop/web requests it, but there is no Gateway a/b (spec.parentRefs)." in text
    assert "  excluded      Service shop/web: there is no Gateway a/b (spec.parentRefs)\n" in text


def test_the_explanation_of_an_object_shows_which_of_its_names_a_flag_excludes() -> None:
    excluded = ExcludedClaim(ref=ref("web"), excluded_by="--exclude-target-net", name=DnsName("api.example.org"))
    text = explain_object(build_claim("web", "web"), excluded)
    assert "\n  api.example.org: --exclude-target-net excludes it\n" in text


# The explanation of the apex of a zone whose ownership record is in the parent zone


DEV = Zone(name=DnsName("dev.example.org"), id="dev")


def explain_apex(name: str, zone: Zone = ZONE) -> str:
    world = build_world(zones={zone: (ownership_record("dev"),), DEV: (record("dev"),)})
    world.run(observe("web", build_claim("web", "dev")), change_phase(SERVICE), change_phase(INGRESS), for_s=5.0)
    return render(explain(world, name))


def test_a_record_at_the_apex_is_ours_if_its_ownership_record_is_in_the_parent_zone() -> None:
    assert 'ours, owner "me"; covered by a-dev.example.org' in explain_apex("dev.example.org")


def test_an_ownership_record_in_the_parent_zone_is_explained_with_its_record() -> None:
    assert "ownership record of A dev.example.org" in explain_apex("a-dev.example.org")


def test_an_ownership_record_of_the_apex_inside_its_zone_is_explained_with_its_record() -> None:
    world = build_world(zones={DEV: ()})
    world.run(observe("web", build_claim("web", "dev")), change_phase(SERVICE), change_phase(INGRESS), for_s=5.0)
    assert "ownership record of A dev.example.org" in render(explain(world, "_extdns-a.dev.example.org"))


def test_explain_calls_a_private_parent_zone_that_also_contains_the_name_a_shorter_match() -> None:
    found = explain_apex("web.dev.example.org", replace(ZONE, private=True))
    assert "dev.example.org (dev), longest match of 2 zones\n" in found
    assert f"{ZONE.name}, a shorter match\n" in found


# The timeline of a name


def build_sent_change(
    action: ChangeAction, reason: str, outcome: OutcomeWord = "applied", minutes: int = 0
) -> ChangeDocument:
    """Return a change of the A record of web.example.org, *minutes* after the beginning."""
    return ChangeDocument(
        at=BEGINNING + timedelta(minutes=minutes),
        zone=build_zone_reference(ZONE),
        name=WEB,
        type="A",
        set_identifier="",
        action=action,
        targets=("192.0.2.1",),
        object="",
        outcome=outcome,
        detail="",
        reason=reason,
    )


@pytest.mark.parametrize(
    ("change", "event"),
    [
        pytest.param(build_sent_change("create", "requested"), "created", id="created"),
        pytest.param(build_sent_change("update", "changed"), "updated", id="updated"),
        pytest.param(build_sent_change("update", "drift-repaired"), "repaired", id="repaired"),
        pytest.param(build_sent_change("delete", "object-deleted"), "deleted", id="deleted"),
        pytest.param(build_sent_change("update", "drift-repaired", "refused"), "not-written", id="refused"),
    ],
)
def test_a_sent_change_is_shown_in_the_timeline_as_an_event_for_its_action_reason_and_outcome(
    change: ChangeDocument, event: TimelineEvent
) -> None:
    live = look(start_world())
    (entry,) = build_timeline(live, DnsName(WEB), (), (change,))
    assert (entry.event, entry.at, entry.reason) == (event, change.at, change.reason)


def test_the_events_of_a_timeline_are_sorted_from_oldest_to_newest() -> None:
    changes = (build_sent_change("delete", "absent", minutes=9), build_sent_change("create", "requested", minutes=1))
    live = look(start_world())
    assert [one.event for one in build_timeline(live, DnsName(WEB), (), changes)] == ["created", "deleted"]


def test_the_timeline_shows_since_when_a_delete_is_held_and_when_an_object_was_created(tmp_path: Path) -> None:
    shop = process(tmp_path, service("web", "web.example.org"), orphans=20)
    (held,) = shop.get("/api/v1/names/old1.example.org").json["timeline"]
    assert (held["event"], held["reason"]) == ("held", "orphan-gone")
    assert held["text"].startswith("the delete of A waits for approval: the deletes by absence in namespace shop ")
    requested, written = shop.get("/api/v1/names/web.example.org").json["timeline"]
    assert (requested["event"], requested["at"]) == ("requested", "2026-01-01T00:00:00Z")
    assert requested["text"] == "Service shop/web, which requests the name, was created"
    assert (written["event"], written["text"]) == ("created", "A 192.0.2.1 in example.net")
    page = shop.get("/name", of="old1.example.org").text
    assert '<span class="state waiting">held</span> the delete of A waits for approval' in page


def test_the_timeline_shows_when_the_grace_period_of_a_delete_ends() -> None:
    world = start_cluster(service("web", address="192.0.2.1"), flags=["--delete-grace-period=60s"])
    world.delete(service("web"), for_s=20.0)
    live = look(world, at_s=world.now_s)
    (entry,) = build_timeline(live, DnsName(WEB), (), ())
    left = entry.at - BEGINNING
    assert (entry.event, left // timedelta(seconds=1), entry.reason) == ("due", 40, "object-deleted")
    assert entry.text == "the grace period ends; then the delete of A may be made, unless it is held"
