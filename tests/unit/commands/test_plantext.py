"""The text of a plan; what it shall look like stands in golden/*.txt (UPDATE_GOLDEN=1 writes them anew)."""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from extdns.commands.plantext import plan_text, row, table
from extdns.engine.decisions import CHANGING
from extdns.facts.holding import Holding
from extdns.facts.plan import Planned, entry, summary_facts, zone_facts
from extdns.facts.words import told
from extdns.model.claim import Provenance
from extdns.model.cluster import Kind, ObjectKey, ObjectRef
from extdns.model.decision import Decision, Verdict
from extdns.model.name import DnsName
from extdns.model.ownership import Owned
from extdns.model.pairs import Pairs
from extdns.model.reason import Reason
from extdns.model.record import RESOURCE, Endpoint, Record
from extdns.model.zone import Zone

GOLDEN = Path(__file__).parent / "golden"
SERVICE = Kind("", "v1", "Service", "services")
INGRESS = Kind("networking.k8s.io", "v1", "Ingress", "ingresses")
ORG = Zone(name=DnsName("example.org"), id="Z2ABC")
NET = Zone(name=DnsName("example.net"), id="example.net", account="staging")
HOSTILE = "\x1b[31m[red]\u202e[/]\r\n:smile:" + "x" * 1000


def asked(name: str, field: str = "annotation external-dns.kubernetes.io/hostname", kind: Kind = SERVICE) -> Provenance:
    namespace, _, name = name.partition("/")
    return Provenance(source=kind.name.lower(), ref=ObjectRef(key=ObjectKey(kind, namespace, name)), field=field)


def rule(name: str) -> Provenance:
    return asked(name, "spec.rules[0].host", INGRESS)


def pairs(**entries: str) -> Pairs:
    return Pairs.of(entries)


def decision(
    name: str,
    verdict: Verdict,
    reason: Reason,
    detail: str = "",
    *,
    by: Sequence[Provenance] = (),
    wanted: Sequence[str] = (),
    held: Sequence[str] = (),
    rtype: str = "A",
    zone: Zone | None = ORG,
    identifier: str = "",
    ttl_s: tuple[int, int] = (300, 0),
    properties: tuple[Pairs, Pairs] = (Pairs.of(), Pairs.of()),
    resource: str = "",
    owner: str = "me",
) -> Decision:
    """Pairs of *ttl_s* and *properties* are what is held and what is wanted."""
    dns = DnsName(name)
    record = Record(
        name=dns, type=rtype, targets=tuple(held), ttl_s=ttl_s[0], set_identifier=identifier, properties=properties[0]
    )
    labels = pairs(**{RESOURCE: resource}) if resource else pairs()
    endpoint = Endpoint(
        name=dns, type=rtype, targets=tuple(wanted), ttl_s=ttl_s[1], set_identifier=identifier, properties=properties[1]
    )
    return Decision(
        zone=zone,
        name=dns,
        set_identifier=identifier,
        type=rtype,
        verdict=verdict,
        reason=reason,
        detail=detail,
        wanted=endpoint if wanted else None,
        held=Owned(record=record, owner=owner, ours=owner == "me", labels=labels) if held else None,
        asked_by=tuple(by),
    )


CREATE, UPDATE, DELETE, KEEP, NONE = Verdict.CREATE, Verdict.UPDATE, Verdict.DELETE, Verdict.KEEP, Verdict.NONE
MANY = tuple(f"192.0.2.{number}" for number in range(1, 10))

CASES = {
    "changes": [
        decision("shop.example.org", CREATE, Reason.WANTED, by=[rule("web/shop")], wanted=["203.0.113.7"]),
        decision(
            "api.example.org",
            UPDATE,
            Reason.CHANGED,
            "targets, ttl",
            by=[asked("web/api")],
            wanted=["203.0.113.7"],
            held=["203.0.113.2"],
            ttl_s=(300, 60),
        ),
        decision(
            "old.example.org",
            DELETE,
            Reason.OBJECT_DELETED,
            rtype="CNAME",
            held=["lb-1.example.net"],
            resource="ingress/web/old",
        ),
        decision(
            "alias.example.org",
            UPDATE,
            Reason.CHANGED,
            "properties",
            by=[asked("web/alias")],
            wanted=["lb-1.example.net"],
            held=["lb-1.example.net"],
            properties=(pairs(alias="false", weight="1"), pairs(alias="true", region="")),
        ),
        decision(
            "moved.example.org",
            UPDATE,
            Reason.CHANGED,
            "targets, owner",
            by=[asked("web/moved")],
            wanted=["192.0.2.2"],
            held=["192.0.2.1"],
            owner="old",
        ),
        decision(
            "unmarked.example.org",
            UPDATE,
            Reason.MARK_MISSING,
            by=[asked("web/unmarked")],
            wanted=["192.0.2.1"],
            held=["192.0.2.1"],
        ),
        decision("in-order.example.org", KEEP, Reason.PROGRAMMED, by=[asked("web/a")], wanted=MANY[:1], held=MANY[:1]),
    ],
    "what-is-kept-and-why": [
        decision(
            "www.example.org",
            KEEP,
            Reason.OWNED_BY_OTHER,
            'A owned by "blue-cluster"',
            by=[asked("web/www")],
            wanted=["192.0.2.1"],
            held=["192.0.2.9"],
            owner="blue-cluster",
        ),
        decision(
            "pay.example.org",
            NONE,
            Reason.NO_ADDRESS,
            "status.loadBalancer has no address yet",
            by=[asked("pay/gw")],
            rtype="",
        ),
        decision(
            "orphan.example.org",
            KEEP,
            Reason.ORPHAN_UNCLAIMED,
            "held: nobody asks for it; made for service/web/orphan",
            held=["192.0.2.4"],
            resource="service/web/orphan",
        ),
        decision(
            "shop.example.org",
            NONE,
            Reason.CONFLICT_LOST,
            "Ingress web/shop has it",
            by=[rule("lab/shop"), asked("lab/shop"), asked("lab/other"), asked("lab/another")],
            wanted=["192.0.2.5"],
        ),
        decision("a.example.net", NONE, Reason.ZONE_FORBIDDEN, "AccessDenied", by=[asked("web/a")], zone=NET),
        decision("b.elsewhere.example", NONE, Reason.NO_ZONE, by=[asked("web/b")], wanted=["192.0.2.1"], zone=None),
        decision("c.example.net", NONE, Reason.ZONE_UNREAD, by=[asked("web/c")], wanted=["192.0.2.1"], zone=NET),
        decision("d.elsewhere.example", NONE, Reason.ZONES_UNKNOWN, by=[asked("web/d")], zone=None),
        decision("e.example.org", KEEP, Reason.ZONES_UNKNOWN, by=[asked("web/e")], held=["192.0.2.5"]),
        decision("foreign.example.org", KEEP, Reason.FOREIGN_RECORD, held=["192.0.2.6"], owner="them"),
    ],
    "set-identifiers": [
        decision(
            "pair.example.org", CREATE, Reason.WANTED, by=[asked(f"ops/{color}")], wanted=[target], identifier=color
        )
        for color, target in (("green", "192.0.2.1"), ("blue", "192.0.2.2"))
    ],
    "many-targets": [
        decision("all.example.org", CREATE, Reason.WANTED, by=[asked("web/all")], wanted=MANY),
        decision(
            "last.example.org",
            UPDATE,
            Reason.CHANGED,
            "targets",
            by=[asked("web/last")],
            wanted=[*MANY[:-1], "192.0.2.99"],
            held=MANY,
        ),
        decision(
            "fewer.example.org", UPDATE, Reason.CHANGED, "targets", by=[asked("web/few")], wanted=MANY[:1], held=MANY
        ),
        decision(
            "text.example.org",
            CREATE,
            Reason.WANTED,
            by=[asked("web/text")],
            wanted=['"' + "x" * 255 + '"'],
            rtype="TXT",
        ),
    ],
    "hostile": [
        decision(
            "evil.example.org",
            UPDATE,
            Reason.CHANGED,
            "targets, properties",
            by=[asked(f"web/{HOSTILE}", HOSTILE)],
            wanted=[HOSTILE],
            held=["[/]"],
            identifier=HOSTILE,
            properties=(pairs(), Pairs.of({HOSTILE: HOSTILE})),
        ),
        decision("evil.example.org", NONE, Reason.REFUSED, HOSTILE, by=[asked("web/a")], zone=NET),
    ],
    "nothing": [
        decision("in-order.example.org", KEEP, Reason.PROGRAMMED, by=[asked("web/a")], wanted=MANY[:1], held=MANY[:1])
    ],
}
HOLDINGS = {ORG: Holding(records=412, ours=388), NET: Holding(records=1, ours=0)}


def text_of(decisions: Sequence[Decision]) -> str:
    shown = told(decisions)
    plan = Planned(
        provider="route53",
        owner="me",
        policy="sync",
        zones=tuple(zone_facts(zone, holding) for zone, holding in HOLDINGS.items()),
        changes=tuple(entry(one) for one in shown if one.verdict in CHANGING),
        kept=tuple(entry(one) for one in shown if one.verdict not in CHANGING),
        held=(),
        mistakes=(),
        missing=(),
        summary=summary_facts(shown),
    )
    return "".join(f"{line}\n" for line in plan_text(plan))


@pytest.mark.parametrize("case", CASES)
def test_a_plan_reads_as_agreed(case: str) -> None:
    path, text = GOLDEN / f"{case}.txt", text_of(CASES[case])
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def test_there_is_a_case_for_each_golden_file() -> None:
    assert {path.stem for path in GOLDEN.glob("*.txt")} == set(CASES)


@pytest.mark.parametrize("case", CASES)
def test_the_order_of_decisions_does_not_matter(case: str) -> None:
    decisions = list(CASES[case])
    random.Random(7).shuffle(decisions)
    assert text_of(decisions) == text_of(CASES[case])


def test_nothing_reaches_the_terminal_that_is_not_printable() -> None:
    for line in text_of(CASES["hostile"]).splitlines():
        assert line.isprintable()
        assert len(line) < 3000


def test_what_is_in_order_has_a_symbol_of_its_own() -> None:
    assert list(table(map(row, map(entry, CASES["nothing"])))) == [
        "  · A  in-order.example.org  192.0.2.1  Service web/a: annotation hostname"
    ]


def test_no_cell_is_wrapped_or_cut_but_for_long_targets() -> None:
    name = ".".join(["a" * 63] * 3 + ["example.org"])
    text = text_of([decision(name, CREATE, Reason.WANTED, by=[asked("web/a")], wanted=["192.0.2.1"])])
    assert f"  + A  {name}  192.0.2.1  Service web/a: annotation hostname\n" in text


@pytest.mark.parametrize("verdict", list(Verdict))
def test_every_verdict_is_counted(verdict: Verdict) -> None:
    one = decision("a.example.org", verdict, Reason.REFUSED, by=[asked("web/a")], wanted=["192.0.2.1"], held=MANY[:1])
    (summary,) = text_of([one]).splitlines()[-1:]
    assert " 1 " in f" {summary}"


def test_a_zone_that_is_gone_is_named_all_the_same() -> None:
    gone = Zone(name=DnsName("gone.example"), id="Z3")
    text = text_of([decision("a.gone.example", KEEP, Reason.ZONE_GONE, held=MANY[:1], zone=gone)])
    assert text.startswith("Zone gone.example (Z3, route53)\n\n  ! A  a.gone.example  kept")
