"""Where we differ from what was recorded, on purpose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from tests.corpus.recordsets import RecordSet

# Cases marked as quirks whose records come out as recorded all the same, with `--compat`.
AGREED: Final[Mapping[str, str]] = {
    "010-service-no-status": "--compat deletes at once",
    "045-service-compat-mate": "an IPv6 address beside the IPv4 one makes the A record invalid (spec sources 3.8)",
    "183-policy-missing": "--compat wants --policy given",
    "200-migrate-owner": "we keep on purpose what the reference fails to delete (design 5); ours is no failure",
    "231-apex": "--compat creates without a mark",
    "273-httproute-not-accepted": "--compat deletes at once",
    "281-two-gateways": "--compat merges across namespaces",
    "310-alpha-prefix-ignored": "--compat reads the new prefix alone",
    "354-zones-disagree": "zones are compared one by one, which is one of the outcomes recorded",
    "364-ingress-merge-same-ttl": "--compat merges across namespaces",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Where we differ from what was recorded.

    Attributes:
        why: the reason, with the section of the design or the spec.
        gone: recorded record sets that are not there, by `name type set-identifier`.
        more: record sets that were not recorded, or not so.
        zone: the id of the zone it is about, "" for the first one.
        exit: our exit code.
    """

    why: str
    gone: tuple[str, ...] = ()
    more: tuple[RecordSet, ...] = ()
    zone: str = ""
    exit: int = 0


def a(name: str, *addresses: str, **fields: str) -> RecordSet:
    """An A record set."""
    return {**_set(name, "A", "", fields), "ResourceRecords": list(addresses)}


def mark(name: str, resource: str, *, rtype: str = "a", **fields: str) -> RecordSet:
    """The mark of a record set of ours, made for *resource*."""
    heritage = f'"heritage=external-dns,external-dns/owner=default,external-dns/resource={resource}"'
    return _set(f"{rtype}-{name}", "TXT", heritage, fields)


def cname(name: str, target: str, resource: str) -> tuple[RecordSet, RecordSet]:
    """A CNAME record set of ours and its mark."""
    return _set(name, "CNAME", target, {}), mark(name, resource, rtype="cname")


def _set(name: str, rtype: str, value: str, fields: Mapping[str, str]) -> dict[str, Any]:
    return {"Name": f"{name}.acme.test.", "Type": rtype, "TTL": 300, "ResourceRecords": [value], **fields}


_NO_APEX_MARK: Final = Difference(
    why="the mark of the apex lies outside the zone, and nothing is created without its mark (design 5)",
    gone=("acme.test. A",),
    exit=1,
)

# With and without --compat.
OURS: Final[Mapping[str, Difference]] = {
    "117-template-error": Difference(
        why="an object that a template fails on fails alone (design 2 law 3)",
        gone=("gone.acme.test. A", "a-gone.acme.test. TXT"),
        more=(a("ok", "192.0.2.2"), mark("ok", "service/default/b")),
        exit=1,
    ),
    "214-ownership-txt-spelling": Difference(
        why="the mark is deleted in the form in which it was read (spec plan 11)",
        gone=("gone.acme.test. A", "a-gone.acme.test. TXT"),
    ),
    "222-half-foreign-type-change": Difference(
        why="a change of type is one change set: both or neither (spec plan 11)",
        more=(a("w", "192.0.2.1"), mark("w", "service/default/w")),
    ),
    "233-idn": Difference(
        why="names are canonical: the Unicode one is published as A-label (spec plan 11)",
        more=(a("xn--bcher-kva", "192.0.2.5"), mark("xn--bcher-kva", "service/default/w")),
    ),
    "237-upper-case": Difference(
        why="names are canonical: capitals in the zone part do not matter (spec plan 11)",
        gone=("web.acme.test. A",),
        more=(a("web", "192.0.2.5"), a("new", "192.0.2.6"), mark("new", "service/default/n")),
    ),
    "328-missing-crd": Difference(
        why="a kind that is not served stops its own source alone (design 2 law 3); manifests lack none",
        more=(a("a", "192.0.2.1"), mark("a", "service/default/a")),
    ),
    "350-legacy-txt-delete": Difference(
        why="the mark is deleted in the form in which it was read (spec plan 11)",
        gone=("gone.acme.test. A", "gone.acme.test. TXT"),
    ),
    "352-one-zone-of-two": Difference(
        why="zones are compared one by one (spec plan 11)",
        more=(a("x", "192.0.2.1"), mark("x", "service/default/a")),
        zone="Z62CAF95CA09E",
    ),
    "355-ip-and-elb": Difference(
        why="one claim decides whether a name is an alias or addresses, for A and AAAA together (spec plan 11)",
        gone=("mix.acme.test. AAAA", "aaaa-mix.acme.test. TXT"),
    ),
}

# Without --compat, beside those above.
OURS_BY_DEFAULT: Final[Mapping[str, Difference]] = {
    "119-template-missing-label": Difference(
        why="a mark that could be read as one of another name tells which is meant (spec plan 11)",
        gone=("a-a-gold.acme.test. TXT",),
        more=(
            _set(
                "a-a-gold",
                "TXT",
                '"heritage=external-dns,external-dns/ownedRecord=a-gold.acme.test,'
                'external-dns/owner=default,external-dns/resource=service/default/a"',
                {},
            ),
        ),
        exit=1,
    ),
    "010-service-no-status": Difference(
        why="an address that went away is no evidence: the record stays (design 6, withheld)",
        more=(a("pending", "192.0.2.70"), mark("pending", "service/default/pending")),
    ),
    "041-service-cname-clash": Difference(
        why="of two namespaces the one with the older object has the name (design 5)",
        gone=("c.acme.test. CNAME", "cname-c.acme.test. TXT"),
        more=cname("c", "bbb.example.net", "service/a/p"),
    ),
    "043-service-cname-incumbent-gone": Difference(
        why="nothing shows that the namespace that has the name gave it up: its object exists (design 4 and 6)",
        gone=("c.acme.test. CNAME", "cname-c.acme.test. TXT"),
        more=cname("c", "bbb.example.net", "service/a/p"),
        exit=3,
    ),
    "044-service-a-vs-cname": Difference(
        why="the namespace that has the name keeps it (design 5)",
        gone=("w.acme.test. A", "a-w.acme.test. TXT"),
        more=cname("w", "x.example.net", "service/a/p"),
    ),
    "082-setid-renamed": Difference(
        why="the old set has no evidence: its object exists and was not seen to change (design 6, orphan-unclaimed)",
        more=(
            a("w", "192.0.2.1", SetIdentifier="v1", Weight="5"),
            mark("w", "service/default/a", SetIdentifier="v1", Weight="5"),
        ),
        exit=3,
    ),
    "136-namespace": Difference(
        why="nothing reads the namespace of the object behind the record (design 6, orphan-unclaimed)",
        more=(a("a", "192.0.2.1"), mark("a", "service/one/a")),
        exit=3,
    ),
    "141-domain-filter-zone": _NO_APEX_MARK,
    "143-domain-filter-case": _NO_APEX_MARK,
    "145-regex-domain": _NO_APEX_MARK,
    "183-policy-missing": Difference(
        why="--policy defaults to sync (design 5)",
        gone=("stale.acme.test. A", "a-stale.acme.test. TXT", "web.acme.test. A"),
        more=(a("web", "192.0.2.40"), a("new", "192.0.2.41"), mark("new", "service/default/new")),
    ),
    "202-noop-registry": Difference(
        why="without marks nothing shows for whom a record was made, so it stays (design 2 law 1)",
        more=(a("stale", "192.0.2.1"),),
        exit=3,
    ),
    "204-lone-txt": Difference(
        why="another owner's mark is in the way, and nothing is created without its mark (design 2)",
        gone=("w2.acme.test. A",),
    ),
    "231-apex": _NO_APEX_MARK,
    "235-long-label": Difference(
        why="the mark's label would be too long, and nothing is created without its mark (design 5)",
        gone=(f"{'a' * 63}.acme.test. A",),
        exit=1,
    ),
    "273-httproute-not-accepted": Difference(
        why="a Route that is not accepted any more is no evidence: the record stays (design 6, withheld)",
        more=(a("r1", "203.0.113.9"), mark("r1", "httproute/shop/r1")),
    ),
    "281-two-gateways": Difference(
        why="of two namespaces the one with the older object has the name (design 5)",
        gone=("r.acme.test. A", "a-r.acme.test. TXT"),
        more=(a("r", "203.0.113.1", "203.0.113.2"), mark("r", "httproute/shop/r")),
    ),
    "310-alpha-prefix-ignored": Difference(
        why="both annotation prefixes are read (design 5)",
        more=(a("a", "192.0.2.1"), mark("a", "service/default/a")),
    ),
    "364-ingress-merge-same-ttl": Difference(
        why="of two namespaces the one with the older object has the name (design 5)",
        gone=("h.acme.test. A", "a-h.acme.test. TXT"),
        more=(a("h", "192.0.2.2", TTL="60"), mark("h", "ingress/one/a")),
    ),
    "340-combined": Difference(
        why="the Ingress exists, and no version of it was seen that was selected (design 6, orphan-unclaimed)",
        more=(
            a("int", "10.0.0.9"),
            _set(
                "a-x.int",
                "TXT",
                '"heritage=external-dns,external-dns/owner=prod-1,external-dns/resource=ingress/prod/int"',
                {},
            ),
        ),
        exit=3,
    ),
}
