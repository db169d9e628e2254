"""Hypothesis generators for values of the model.

The sets of names, identifiers and objects are small on purpose, so that collisions are frequent.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import prod
from typing import Any, Final

from hypothesis import strategies as st

from extdns.model.claim import Provenance, ResolvedClaim
from extdns.model.dns_name import DnsName
from extdns.model.kind import Kind, ObjectKey, ObjectRef
from extdns.model.record import DesiredRecord, OwnedRecord, Record
from extdns.model.value import StringMap
from extdns.model.zone import Zone
from extdns.planner.proposal import Candidate

SERVICE: Final = Kind("", "v1", "Service", "services")
INGRESS: Final = Kind("networking.k8s.io", "v1", "Ingress", "ingresses")
MANAGED: Final = frozenset({"A", "AAAA", "CNAME", "TXT"})
OWNERS: Final = (None, "me", "other")

_TARGETS: Final = {
    "A": (("192.0.2.1",), ("192.0.2.2",), ("192.0.2.1", "192.0.2.30")),
    "AAAA": (("2001:db8::1",), ("2001:db8::2",)),
    "CNAME": (("lb-1.test",), ("lb-2.test",)),
    "TXT": (('"one"',), ('"two"',)),
    "MX": (("10 mail.test",),),
}
_PLAIN: Final = tuple(
    (rtype, targets, StringMap.from_items(properties))
    for rtype, choices in _TARGETS.items()
    for targets in choices
    for properties in ({}, {"custom": "1"})
)
_ALIASES: Final = tuple(
    (rtype, targets, StringMap.from_items({"alias": "true"}))
    for rtype in ("A", "AAAA")
    for targets in _TARGETS["CNAME"]
)
_REFS: Final = tuple(
    ObjectRef(key=ObjectKey(kind, namespace, name), created=created)
    for kind in (SERVICE, INGRESS)
    for namespace, name, created in (
        ("lab", "a", "2026-02-01T00:00:00Z"),
        ("lab", "b", ""),
        ("shop", "a", "2026-01-01T00:00:00Z"),
        ("shop", "b", "2026-02-01T00:00:00Z"),
    )
)
_PROVENANCES: Final = tuple(
    Provenance(source=ref.key.kind.name.lower(), ref=ref, field=field)
    for ref in _REFS
    for field in ("annotation", "spec")
)
_LABELS: Final = ("*", "_sip", "a", "foo", "xn--c1yn36f", "example", "org")

_CONTENTS: Final = _PLAIN + _ALIASES
_RESOURCES: Final = ("", *(ref.key.resource for ref in _REFS))
_SET_IDENTIFIERS: Final = ("", "", "v1", "v2")
_POLICIES: Final = (("aws/weight", "1"), ("aws/weight", "2"), ("aws/region", "eu-central-1"))


def names() -> st.SearchStrategy[DnsName]:
    """Generate names of one to four labels."""
    return st.lists(st.sampled_from(_LABELS), min_size=1, max_size=4).map(lambda labels: DnsName(".".join(labels)))


def zones() -> st.SearchStrategy[Zone]:
    """Generate zones, some with the same name."""
    return st.builds(
        Zone,
        name=names(),
        id=st.integers(0, 9).map(str),
        account=st.sampled_from(("", "b")),
        private=st.booleans(),
    )


def refs() -> st.SearchStrategy[ObjectRef]:
    """Generate references to a few objects of two kinds in two namespaces, some of the same age."""
    return st.sampled_from(_REFS)


def combinations(*choices: Sequence[Any]) -> st.SearchStrategy[tuple[Any, ...]]:
    """Generate tuples with one element of each of *choices*, in one draw: draws take most of the time of a law."""

    def pick(number: int) -> tuple[Any, ...]:
        picked: list[Any] = []
        for each in choices:
            number, index = divmod(number, len(each))
            picked.append(each[index])
        return tuple(picked)

    return st.integers(0, prod(map(len, choices)) - 1).map(pick)


def claims(name: DnsName) -> st.SearchStrategy[ResolvedClaim]:
    """Generate resolved claims for *name*."""
    return combinations(_PROVENANCES, _CONTENTS, _SET_IDENTIFIERS, _POLICIES, (0, 0, 60, 300)).map(
        partial(_build_claim, name)
    )


def _build_claim(name: DnsName, picked: tuple[Any, ...]) -> ResolvedClaim:
    provenance, (rtype, targets, properties), identifier, policy, ttl_s = picked
    endpoint = DesiredRecord(
        name=name,
        type=rtype,
        targets=targets,
        ttl_s=ttl_s,
        set_identifier=identifier,
        labels=StringMap.from_items({"resource": provenance.ref.key.resource}),
        properties=properties.set(*policy) if identifier else properties,
    )
    return ResolvedClaim(desired=endpoint, provenance=provenance)


def candidates(name: DnsName) -> st.SearchStrategy[Candidate]:
    """Generate candidates of one claim each."""
    return claims(name).map(lambda claim: Candidate(desired=claim.desired, requested_by=(claim.provenance,)))


def owned(name: DnsName, owners: tuple[str | None, ...] = OWNERS) -> st.SearchStrategy[OwnedRecord]:
    """Generate records at *name*; those of the owner `me` are ours."""
    return combinations(_CONTENTS, _SET_IDENTIFIERS, _POLICIES, owners, _RESOURCES, (60, 300), (False, True)).map(
        partial(_build_owned, name)
    )


def _build_owned(name: DnsName, picked: tuple[Any, ...]) -> OwnedRecord:
    (rtype, targets, properties), identifier, policy, owner, resource, ttl_s, current = picked
    return OwnedRecord(
        record=Record(
            name=name,
            type=rtype,
            targets=targets,
            ttl_s=ttl_s,
            set_identifier=identifier,
            properties=properties.set(*policy) if identifier else properties,
        ),
        owner=owner,
        is_ours=owner == "me",
        labels=StringMap.from_items({"resource": resource} if resource and owner else {}),
        has_current_format=owner is None or current,
    )


def rows_held(name: DnsName, owners: tuple[str | None, ...] = OWNERS) -> st.SearchStrategy[list[OwnedRecord]]:
    """Generate lists of records at *name* with distinct keys, in any combination, valid or not."""
    return st.lists(owned(name, owners), max_size=5, unique_by=lambda one: one.key)


_ODD: Final = " !\"#$%&'()*+,-./0:;<=>?@[\\]^_`{|}~aZ\t\n\0\x7fß😍"
_HOSTS: Final = (
    "web",
    "*",
    "_x",
    "bücher",
    "x-y",
    "a.b",
    "WEB",
    "",
    "x" * 63,
    "x" * 64,
    "[x]",
    "a..b",
    "-a",
    "a-",
    "a b",
)
_NEAR_HOSTS: Final = (
    "{}",
    "{}.",
    "{}..",
    "{}:8080",
    "http://{}/",
    "{} other.test",
    "{};other.test",
    "[{}]",
    "\\052.{}",
    "@{}",
)
_NEAR_ADDRESSES: Final = (
    *(
        "192.0.2.1",
        "2001:db8::1",
        "64:ff9b::c000:201",
        "::ffff:192.0.2.1",
        "192.0.2.300",
        "010.0.0.1",
        "192.0.2.1:443",
        "192.168.1",
    ),
    *("[192.0.2.1]", "[2001:db8::1]:443", "192.0.2.1 192.0.2.2", "192.0.2.0/24", "fe80::1%eth0", "1.2.3.4.", ""),
)
_PREFIXES: Final = {"MX": ("10 ", "", "70000 ", "10  "), "SRV": ("0 5 443 ", "0 443 ", "0 5 99999 ")}
_REGEXP_PARTS: Final = (
    "!",
    "^",
    ".*",
    "$",
    "(a)",
    "\\\\1",
    "\\\\2",
    "x",
    "i",
    "[0-9]",
    "{2}",
    "|",
    "+",
    "[",
    "(",
    '\\"',
    "/",
)


def hostnames(domain: str = "example.org") -> st.SearchStrategy[str]:
    """Generate texts in places of hostnames below *domain*: valid, nearly valid and hostile ones."""
    labels = st.sampled_from(_HOSTS) | st.text(_ODD, max_size=4)
    names = labels.map(lambda label: f"{label}.{domain}" if label else domain)
    return st.builds(str.format, st.sampled_from(_NEAR_HOSTS), names) | names


def target_texts() -> st.SearchStrategy[str]:
    """Generate texts in places of targets: addresses, host names, and what is nearly one."""
    return st.sampled_from(_NEAR_ADDRESSES) | hostnames("example.net")


def record_data(rtype: str) -> st.SearchStrategy[str]:
    """Generate data for a record of *rtype*: valid, nearly valid and hostile."""
    if rtype == "TXT":
        return st.text(_ODD, max_size=8) | st.text(_ODD, max_size=8).map('"{}"'.format) | st.just("x" * 300)
    if rtype == "NAPTR":
        regexps = st.lists(st.sampled_from(_REGEXP_PARTS), max_size=6).map("".join)
        return regexps.map('10 100 "u" "E2U+sip" "{}" .'.format)
    dotted = hostnames("example.net").map("{}.".format) if rtype == "SRV" else target_texts()
    return st.builds(str.__add__, st.sampled_from(_PREFIXES.get(rtype, ("",))), dotted)
