"""Hypothesis generators for values of the model.

Alphabets are small on purpose: what the laws are about happens where names, identifiers and objects
collide.
"""

from __future__ import annotations

from typing import Final

from hypothesis import strategies as st

from extdns.model.claim import Provenance, Wanted
from extdns.model.cluster import Kind, ObjectKey, ObjectRef
from extdns.model.name import DnsName
from extdns.model.ownership import Owned
from extdns.model.pairs import Pairs
from extdns.model.record import Endpoint, Record
from extdns.model.zone import Zone
from extdns.planner.merge import Candidate

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
    (rtype, targets, Pairs.of(properties))
    for rtype, choices in _TARGETS.items()
    for targets in choices
    for properties in ({}, {"custom": "1"})
)
_ALIASES: Final = tuple(
    (rtype, targets, Pairs.of({"alias": "true"})) for rtype in ("A", "AAAA") for targets in _TARGETS["CNAME"]
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
    """Names of one to four labels."""
    return st.lists(st.sampled_from(_LABELS), min_size=1, max_size=4).map(lambda labels: DnsName(".".join(labels)))


def zones() -> st.SearchStrategy[Zone]:
    """Zones, twins among them."""
    return st.builds(
        Zone,
        name=names(),
        id=st.integers(0, 9).map(str),
        account=st.sampled_from(("", "b")),
        private=st.booleans(),
    )


def refs() -> st.SearchStrategy[ObjectRef]:
    """A few objects of two kinds in two namespaces, some as old as others."""
    return st.sampled_from(_REFS)


def provenances() -> st.SearchStrategy[Provenance]:
    """Claims of the two sources, each named like the kind it reads."""
    return st.sampled_from(_PROVENANCES)


def contents() -> st.SearchStrategy[tuple[str, tuple[str, ...], Pairs]]:
    """A type with targets and properties that go with it; addresses may be aliases."""
    return st.sampled_from(_PLAIN + _ALIASES)


@st.composite
def claims(draw: st.DrawFn, name: DnsName) -> Wanted:
    """Something that an object wants at *name*."""
    provenance = draw(provenances())
    rtype, targets, properties = draw(contents())
    endpoint = Endpoint(
        name=name,
        type=rtype,
        targets=targets,
        ttl_s=draw(st.sampled_from((0, 0, 60, 300))),
        set_identifier=draw(set_identifiers),
        labels=Pairs.of({"resource": provenance.ref.key.resource}),
        properties=properties,
    )
    return Wanted(endpoint=endpoint, provenance=provenance)


def candidates(name: DnsName) -> st.SearchStrategy[Candidate]:
    """Candidates of one claim each."""
    return claims(name).map(lambda claim: Candidate(endpoint=claim.endpoint, asked_by=(claim.provenance,)))


@st.composite
def owned(draw: st.DrawFn, name: DnsName, owners: tuple[str | None, ...] = OWNERS) -> Owned:
    """A record at *name*; that of `me` is ours."""
    rtype, targets, properties = draw(contents())
    owner = draw(st.sampled_from(owners))
    resource = draw(st.sampled_from(("", *(ref.key.resource for ref in _REFS))))
    return Owned(
        record=Record(
            name=name,
            type=rtype,
            targets=targets,
            ttl_s=draw(st.sampled_from((60, 300))),
            set_identifier=draw(set_identifiers),
            properties=properties,
        ),
        owner=owner,
        ours=owner == "me",
        labels=Pairs.of({"resource": resource} if resource and owner else {}),
        marked=owner is None or draw(st.booleans()),
    )


def rows_held(name: DnsName, owners: tuple[str | None, ...] = OWNERS) -> st.SearchStrategy[list[Owned]]:
    """Records at *name*, each key once, in any combination, sane or not."""
    return st.lists(owned(name, owners), max_size=5, unique_by=lambda one: one.key)
