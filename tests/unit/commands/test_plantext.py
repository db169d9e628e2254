"""The text of a plan, compared with the files golden/*.txt. UPDATE_GOLDEN=1 writes the files."""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from extdns.documents.plan import (
    PlanContent,
    build_entry,
    build_zone,
    count_actions,
    format_plan,
)
from extdns.documents.snapshot import RecordCounts
from extdns.documents.text import find_reportable
from extdns.engine.decisions import CHANGING
from extdns.model.change import Action, Decision
from extdns.model.claim import Provenance
from extdns.model.dns_name import DnsName
from extdns.model.kind import Kind, ObjectKey, ObjectRef
from extdns.model.reason import Reason
from extdns.model.record import RESOURCE, DesiredRecord, OwnedRecord, Record
from extdns.model.value import StringMap
from extdns.model.zone import Zone

GOLDEN = Path(__file__).parent / "golden"
SERVICE = Kind("", "v1", "Service", "services")
INGRESS = Kind("networking.k8s.io", "v1", "Ingress", "ingresses")
ORG = Zone(name=DnsName("example.org"), id="Z2ABC")
NET = Zone(name=DnsName("example.net"), id="example.net", account="staging")
HOSTILE = "\x1b[31m[red]\u202e[/]\r\n:smile:" + "x" * 1000


def annotated(
    name: str, field: str = "annotation external-dns.kubernetes.io/hostname", kind: Kind = SERVICE
) -> Provenance:
    namespace, _, name = name.partition("/")
    return Provenance(source=kind.name.lower(), ref=ObjectRef(key=ObjectKey(kind, namespace, name)), field=field)


def rule(name: str) -> Provenance:
    return annotated(name, "spec.rules[0].host", INGRESS)


def string_map(**entries: str) -> StringMap:
    return StringMap.from_items(entries)


def list_targets(targets: str | Sequence[str]) -> tuple[str, ...]:
    return (targets,) if isinstance(targets, str) else tuple(targets)


def decision(
    name: str,
    action: Action,
    reason: Reason,
    detail: str = "",
    *,
    by: str | Sequence[Provenance] = (),
    desired: str | Sequence[str] = (),
    current: str | Sequence[str] = (),
    rtype: str = "A",
    zone: Zone | None = ORG,
    identifier: str = "",
    ttl_s: tuple[int, int] = (300, 0),
    properties: tuple[StringMap, StringMap] = (StringMap.from_items(), StringMap.from_items()),
    resource: str = "",
    owner: str = "me",
) -> Decision:
    """Build a decision.

    *by* may be the name of a Service, and *desired* and *current* one target. *ttl_s* and *properties* are pairs of the
    current and the desired value.
    """
    dns = DnsName(name)
    record = Record(
        name=dns,
        type=rtype,
        targets=list_targets(current),
        ttl_s=ttl_s[0],
        set_identifier=identifier,
        properties=properties[0],
    )
    labels = string_map(**{RESOURCE: resource}) if resource else string_map()
    endpoint = DesiredRecord(
        name=dns,
        type=rtype,
        targets=list_targets(desired),
        ttl_s=ttl_s[1],
        set_identifier=identifier,
        properties=properties[1],
    )
    return Decision(
        zone=zone,
        name=dns,
        set_identifier=identifier,
        type=rtype,
        action=action,
        reason=reason,
        detail=detail,
        desired=endpoint if desired else None,
        current=OwnedRecord(record=record, owner=owner, is_ours=owner == "me", labels=labels) if current else None,
        requested_by=(annotated(by),) if isinstance(by, str) else tuple(by),
    )


CREATE, UPDATE, DELETE, KEEP, NONE = Action.CREATE, Action.UPDATE, Action.DELETE, Action.KEEP, Action.NONE
MANY = tuple(f"192.0.2.{number}" for number in range(1, 10))

CASES = {
    "changes": [
        decision("shop.example.org", CREATE, Reason.REQUESTED, by=[rule("web/shop")], desired="203.0.113.7"),
        decision(
            "api.example.org",
            UPDATE,
            Reason.CHANGED,
            "targets, ttl",
            by="web/api",
            desired="203.0.113.7",
            current="203.0.113.2",
            ttl_s=(300, 60),
        ),
        decision(
            "old.example.org",
            DELETE,
            Reason.OBJECT_DELETED,
            rtype="CNAME",
            current="lb-1.example.net",
            resource="ingress/web/old",
        ),
        decision(
            "alias.example.org",
            UPDATE,
            Reason.CHANGED,
            "properties",
            by="web/alias",
            desired="lb-1.example.net",
            current="lb-1.example.net",
            properties=(string_map(alias="false", weight="1"), string_map(alias="true", region="")),
        ),
        decision(
            "moved.example.org",
            UPDATE,
            Reason.CHANGED,
            "targets, owner",
            by="web/moved",
            desired="192.0.2.2",
            current="192.0.2.1",
            owner="old",
        ),
        decision(
            "unmarked.example.org",
            UPDATE,
            Reason.OWNERSHIP_RECORD_MISSING,
            by="web/unmarked",
            desired="192.0.2.1",
            current="192.0.2.1",
        ),
        decision("in-order.example.org", KEEP, Reason.PUBLISHED, by="web/a", desired=MANY[:1], current=MANY[:1]),
    ],
    "what-is-kept-and-why": [
        decision(
            "www.example.org",
            KEEP,
            Reason.OWNED_BY_OTHER,
            'A owned by "blue-cluster"',
            by="web/www",
            desired="192.0.2.1",
            current="192.0.2.9",
            owner="blue-cluster",
        ),
        decision(
            "pay.example.org", NONE, Reason.NO_ADDRESS, "status.loadBalancer has no address yet", by="pay/gw", rtype=""
        ),
        decision(
            "orphan.example.org",
            KEEP,
            Reason.ORPHAN_UNCLAIMED,
            "held: nobody requests it; resource service/web/orphan",
            current="192.0.2.4",
            resource="service/web/orphan",
        ),
        decision(
            "shop.example.org",
            NONE,
            Reason.REQUESTED_BY_OTHER,
            "Ingress web/shop has precedence",
            by=[rule("lab/shop"), annotated("lab/shop"), annotated("lab/other"), annotated("lab/another")],
            desired="192.0.2.5",
        ),
        decision("a.example.net", NONE, Reason.ZONE_FORBIDDEN, "AccessDenied", by="web/a", zone=NET),
        decision("b.elsewhere.example", NONE, Reason.NO_ZONE, by="web/b", desired="192.0.2.1", zone=None),
        decision("c.example.net", NONE, Reason.ZONE_UNREAD, by="web/c", desired="192.0.2.1", zone=NET),
        decision("d.elsewhere.example", NONE, Reason.ZONES_UNKNOWN, by="web/d", zone=None),
        decision("e.example.org", KEEP, Reason.ZONES_UNKNOWN, by="web/e", current="192.0.2.5"),
        decision("foreign.example.org", KEEP, Reason.FOREIGN_RECORD, current="192.0.2.6", owner="them"),
    ],
    "set-identifiers": [
        decision("pair.example.org", CREATE, Reason.REQUESTED, by=f"ops/{color}", desired=target, identifier=color)
        for color, target in (("green", "192.0.2.1"), ("blue", "192.0.2.2"))
    ],
    "many-targets": [
        decision("all.example.org", CREATE, Reason.REQUESTED, by="web/all", desired=MANY),
        decision(
            "last.example.org",
            UPDATE,
            Reason.CHANGED,
            "targets",
            by="web/last",
            desired=[*MANY[:-1], "192.0.2.99"],
            current=MANY,
        ),
        decision("fewer.example.org", UPDATE, Reason.CHANGED, "targets", by="web/few", desired=MANY[:1], current=MANY),
        decision(
            "text.example.org", CREATE, Reason.REQUESTED, by="web/text", desired=['"' + "x" * 255 + '"'], rtype="TXT"
        ),
    ],
    "hostile": [
        decision(
            "evil.example.org",
            UPDATE,
            Reason.CHANGED,
            "targets, properties",
            by=[annotated(f"web/{HOSTILE}", HOSTILE)],
            desired=HOSTILE,
            current="[/]",
            identifier=HOSTILE,
            properties=(string_map(), StringMap.from_items({HOSTILE: HOSTILE})),
        ),
        decision("evil.example.org", NONE, Reason.REFUSED, HOSTILE, by="web/a", zone=NET),
    ],
    "nothing": [
        decision("in-order.example.org", KEEP, Reason.PUBLISHED, by="web/a", desired=MANY[:1], current=MANY[:1])
    ],
}
RECORD_COUNTS = {ORG: RecordCounts(records=412, ours=388), NET: RecordCounts(records=1, ours=0)}


def text_of(decisions: Sequence[Decision]) -> str:
    reported = find_reportable(decisions)
    plan = PlanContent(
        violations=(),
        provider="route53",
        owner="me",
        policy="sync",
        zones=tuple(build_zone(zone, counts) for zone, counts in RECORD_COUNTS.items()),
        changes=tuple(build_entry(one) for one in reported if one.action in CHANGING),
        unfulfilled=tuple(build_entry(one) for one in reported if one.action not in CHANGING),
        held=(),
        problems=(),
        excluded={},
        missing=(),
        status_from_cluster=(),
        warnings=(),
        summary=count_actions(reported),
    )
    return "".join(f"{line}\n" for line in format_plan(plan))


@pytest.mark.parametrize("case", CASES)
def test_the_text_of_a_plan_equals_the_golden_file(case: str) -> None:
    path, text = GOLDEN / f"{case}.txt", text_of(CASES[case])
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def test_each_golden_file_of_a_plan_has_a_case() -> None:
    assert {path.stem for path in GOLDEN.glob("*.txt")} == set(CASES)


@pytest.mark.parametrize("case", CASES)
def test_the_order_of_decisions_does_not_change_the_text_of_a_plan(case: str) -> None:
    decisions = list(CASES[case])
    random.Random(7).shuffle(decisions)
    assert text_of(decisions) == text_of(CASES[case])


def test_a_long_name_is_not_wrapped_or_cut_in_a_plan() -> None:
    name = ".".join(["a" * 63] * 3 + ["example.org"])
    text = text_of([decision(name, CREATE, Reason.REQUESTED, by="web/a", desired="192.0.2.1")])
    assert f"  + A  {name}  192.0.2.1  Service web/a: annotation hostname\n" in text


@pytest.mark.parametrize("action", list(Action))
def test_the_summary_of_a_plan_counts_every_action(action: Action) -> None:
    one = decision("a.example.org", action, Reason.REFUSED, by="web/a", desired="192.0.2.1", current=MANY[:1])
    (summary,) = text_of([one]).splitlines()[-1:]
    assert " 1 " in f" {summary}"


def test_a_plan_names_a_zone_that_is_no_longer_listed() -> None:
    gone = Zone(name=DnsName("gone.example"), id="Z3")
    text = text_of([decision("a.gone.example", KEEP, Reason.ZONE_GONE, current=MANY[:1], zone=gone)])
    assert text.startswith("Zone gone.example (Z3, route53)\n\n  ! A  a.gone.example  kept")
