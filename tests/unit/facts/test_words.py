"""What a plan tells besides its changes."""

from __future__ import annotations

from extdns.facts.words import mistaken
from extdns.model.claim import Claim, Invalid
from extdns.model.cluster import ObjectKey
from extdns.model.reason import Reason
from tests.unit.engine.stage import origin, wants


def invalid(name: str, value: str) -> Invalid:
    return Invalid(provenance=origin(name), reason=Reason.INVALID_NAME, value=value, allowed="a name")


def test_mistakes_are_told_by_object_whatever_the_order_in_which_sources_saw_them() -> None:
    web, api = origin("web").ref.key, origin("api").ref.key
    seen: list[tuple[ObjectKey, tuple[Claim, ...]]] = [
        (web, (invalid("web", "2"), invalid("web", "1"))),
        (web, (invalid("web", "0"),)),
        (api, ()),
        (api, (invalid("api", "x"), wants("api", "api"))),
    ]
    told = [(key.name, mistake.value) for key, mistake in mistaken(seen)]
    assert told == [("api", "x"), ("web", "0"), ("web", "2"), ("web", "1")]
    assert told == [(key.name, mistake.value) for key, mistake in mistaken(reversed(seen))]
