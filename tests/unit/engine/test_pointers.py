"""A PTR stays while the address behind it is not said (design 6, spec sources 8.5)."""

from __future__ import annotations

from typing import Final

from extdns.engine.claims import ClaimIndex
from extdns.engine.inputs import Cause, Observation
from extdns.model.claim import Claim, Provenance, Wanted, Withheld
from extdns.model.cluster import ObjectKey, ObjectRef
from extdns.model.evidence import Evidence
from extdns.model.name import DnsName
from extdns.model.objects import SERVICE
from extdns.model.reason import Reason
from extdns.model.record import Endpoint
from extdns.sources.pointers import Pointers

KEY: Final = ObjectKey(SERVICE, "shop", "web")
WHERE: Final = Provenance(source="service", ref=ObjectRef(key=KEY), field="f")
HOST: Final = DnsName("a.t")
SEVEN: Final = DnsName("7.2.0.192.in-addr.arpa")
EIGHT: Final = DnsName("8.2.0.192.in-addr.arpa")


def at(address: str) -> tuple[Claim, ...]:
    wanted = Wanted(endpoint=Endpoint(name=HOST, type="A", targets=(address,)), provenance=WHERE)
    return Pointers(enabled=True)(wanted)


def unsaid() -> tuple[Claim, ...]:
    return (Withheld(name=HOST, set_identifier="", provenance=WHERE, reason=Reason.NO_ADDRESS, detail="no address"),)


def index(*versions: tuple[Claim, ...]) -> ClaimIndex:
    found = ClaimIndex()
    for claims in versions:
        seen = Observation(source="service", key=KEY, cause=Cause.VERSION, claims=claims, failure="")
        found.update(seen)
    return found


def test_while_the_host_is_withheld_the_pointer_stays_wanted() -> None:
    claims = index(at("192.0.2.7"), unsaid(), unsaid())
    assert isinstance(claims.of(HOST)[0], Withheld)
    assert [type(claim) for claim in claims.of(SEVEN)] == [Wanted]
    assert claims.ended((SEVEN, ""), "") is None


def test_once_the_host_has_another_address_the_pointer_goes() -> None:
    claims = index(at("192.0.2.7"), unsaid(), at("192.0.2.8"))
    assert claims.of(SEVEN) == ()
    assert claims.ended((SEVEN, ""), "") is Evidence.HOSTNAME_REMOVED
    assert [type(claim) for claim in claims.of(EIGHT)] == [Wanted]


def test_once_nobody_asks_for_the_host_the_pointer_goes() -> None:
    claims = index(at("192.0.2.7"), ())
    assert (claims.of(HOST), claims.of(SEVEN)) == ((), ())
