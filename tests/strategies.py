"""Hypothesis generators for values of the model.

The sets of names, identifiers and objects are small on purpose, so that collisions are frequent.
"""

from __future__ import annotations

from typing import Final

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

set_identifiers: Final = st.sampled_from(("", "", "v1", "v2"))


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


def provenances() -> st.SearchStrategy[Provenance]:
    """Generate provenances of claims from two sources."""
    return st.sampled_from(_PROVENANCES)


@st.composite
def routings(draw: st.DrawFn, properties: StringMap) -> tuple[str, StringMap]:
    """Generate a set identifier and *properties*, with a routing policy if the identifier is not empty."""
    identifier = draw(set_identifiers)
    policy = draw(st.sampled_from((("aws/weight", "1"), ("aws/weight", "2"), ("aws/region", "eu-central-1"))))
    return identifier, properties.set(*policy) if identifier else properties


def contents() -> st.SearchStrategy[tuple[str, tuple[str, ...], StringMap]]:
    """Generate record types with matching targets and properties; addresses may be aliases."""
    return st.sampled_from(_PLAIN + _ALIASES)


@st.composite
def claims(draw: st.DrawFn, name: DnsName) -> ResolvedClaim:
    """Generate resolved claims for *name*."""
    provenance = draw(provenances())
    rtype, targets, properties = draw(contents())
    identifier, properties = draw(routings(properties))
    endpoint = DesiredRecord(
        name=name,
        type=rtype,
        targets=targets,
        ttl_s=draw(st.sampled_from((0, 0, 60, 300))),
        set_identifier=identifier,
        labels=StringMap.from_items({"resource": provenance.ref.key.resource}),
        properties=properties,
    )
    return ResolvedClaim(desired=endpoint, provenance=provenance)


def candidates(name: DnsName) -> st.SearchStrategy[Candidate]:
    """Generate candidates of one claim each."""
    return claims(name).map(lambda claim: Candidate(desired=claim.desired, requested_by=(claim.provenance,)))


@st.composite
def owned(draw: st.DrawFn, name: DnsName, owners: tuple[str | None, ...] = OWNERS) -> OwnedRecord:
    """Generate records at *name*; those of the owner `me` are ours."""
    rtype, targets, properties = draw(contents())
    identifier, properties = draw(routings(properties))
    owner = draw(st.sampled_from(owners))
    resource = draw(st.sampled_from(("", *(ref.key.resource for ref in _REFS))))
    return OwnedRecord(
        record=Record(
            name=name,
            type=rtype,
            targets=targets,
            ttl_s=draw(st.sampled_from((60, 300))),
            set_identifier=identifier,
            properties=properties,
        ),
        owner=owner,
        is_ours=owner == "me",
        labels=StringMap.from_items({"resource": resource} if resource and owner else {}),
        has_current_format=owner is None or draw(st.booleans()),
    )


def rows_held(name: DnsName, owners: tuple[str | None, ...] = OWNERS) -> st.SearchStrategy[list[OwnedRecord]]:
    """Generate lists of records at *name* with distinct keys, in any combination, valid or not."""
    return st.lists(owned(name, owners), max_size=5, unique_by=lambda one: one.key)
