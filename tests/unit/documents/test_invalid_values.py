"""The list of invalid values in a plan."""

from __future__ import annotations

from extdns.documents.text import list_problems
from extdns.model.claim import Claim, InvalidClaim
from extdns.model.kind import ObjectKey
from extdns.model.reason import Reason
from tests.builders import build_claim, origin


def invalid(name: str, value: str) -> InvalidClaim:
    return InvalidClaim(provenance=origin(name), reason=Reason.INVALID_NAME, value=value, allowed="a name")


def test_invalid_values_are_sorted_by_object() -> None:
    web, api = origin("web").ref.key, origin("api").ref.key
    observed: list[tuple[ObjectKey, tuple[Claim, ...]]] = [
        (web, (invalid("web", "2"), invalid("web", "1"))),
        (web, (invalid("web", "0"),)),
        (api, ()),
        (api, (invalid("api", "x"), build_claim("api", "api"))),
    ]
    found = [(key.name, claim.value) for key, claim in list_problems(observed)]
    assert found == [("api", "x"), ("web", "0"), ("web", "2"), ("web", "1")]
    assert found == [(key.name, claim.value) for key, claim in list_problems(reversed(observed))]
