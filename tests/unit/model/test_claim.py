"""The problems of an object, and the one of them that may hide a name."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from extdns.model.claim import ClaimWarning, ExcludedClaim, InvalidClaim, find_hidden_request, find_problems
from extdns.model.reason import Reason
from tests.builders import build_claim, build_unresolved, origin, ref

PROVENANCE = origin("web")
TTL = ClaimWarning(reason=Reason.INVALID_TTL, field="ttl", value="1d", allowed="seconds")
NAME = ClaimWarning(reason=Reason.INVALID_NAME, field=PROVENANCE.field, value="a b", allowed="a name")


def test_the_problems_of_an_object_are_its_warnings_and_invalid_claims_each_once() -> None:
    warned = replace(build_claim("web", "web"), warning_groups=((TTL,),))
    invalid = InvalidClaim(provenance=PROVENANCE, reason=NAME.reason, value=NAME.value, allowed=NAME.allowed)
    excluded = ExcludedClaim(ref=ref("web"), excluded_by="--ingress-class")
    assert find_problems((build_unresolved("web", "api"), warned, invalid, warned, excluded)) == (TTL, NAME)
    assert find_problems((build_claim("web", "web"), excluded)) == ()


def test_warnings_that_all_claims_of_an_object_share_are_read_once() -> None:
    class Group(tuple[ClaimWarning, ...]):
        __slots__ = ()
        reads = 0

        def __iter__(self) -> Iterator[ClaimWarning]:
            Group.reads += 1
            return super().__iter__()

    shared = Group((TTL, NAME))
    claims = [replace(build_claim(f"n{number}", "web"), warning_groups=(shared, (NAME,))) for number in range(9)]
    assert (find_problems(claims), Group.reads) == ((TTL, NAME), 1)


@pytest.mark.parametrize("reason", [Reason.INVALID_NAME, Reason.INVALID_ENDPOINT, Reason.IGNORED_ANNOTATION])
def test_an_invalid_name_or_endpoint_or_annotation_may_hide_a_requested_name(reason: Reason) -> None:
    hiding = replace(NAME, reason=reason)
    assert find_hidden_request((TTL, hiding)) == hiding
    assert find_hidden_request((TTL,)) is None
