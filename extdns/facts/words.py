"""Which decisions are told, and what stands below each: the evidence, in words."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from extdns.errors import shortened
from extdns.facts.printable import printable
from extdns.model.claim import mistakes
from extdns.model.decision import Verdict
from extdns.model.reason import Reason

if TYPE_CHECKING:
    from extdns.model.claim import Claim, Notice
    from extdns.model.cluster import ObjectKey
    from extdns.model.decision import Decision
    from extdns.model.pairs import Pairs

_MAX_TARGETS: Final = 3
_MAX_TARGET: Final = 80


def told(decisions: Iterable[Decision]) -> list[Decision]:
    """What of *decisions* a plan tells, in its order: changes, and what is not as objects ask."""
    shown = [one for one in decisions if one.reason is not Reason.PROGRAMMED and one.concerns_us]
    return sorted(shown, key=lambda decision: (decision.zone is None, decision.order))


def mistaken(objects: Iterable[tuple[ObjectKey, Iterable[Claim]]]) -> Iterator[tuple[ObjectKey, Notice]]:
    """What is wrong on objects, by object, which several sources may read."""
    found = [(key, wrong) for key, claims in objects if (wrong := mistakes(claims))]
    found.sort(key=lambda one: (one[0], repr(one[1])))
    return ((key, mistake) for key, wrong in found for mistake in wrong)


def short_field(field: str) -> str:
    """*field* without the prefix of annotations, which is the same on all: `annotation hostname`."""
    word, _, key = field.partition(" ")
    return f"{word} {key.rpartition('/')[2]}" if key and word == "annotation" else field


def below(decision: Decision) -> Iterator[str]:
    """What differs, or what a person should know."""
    if decision.verdict is not Verdict.UPDATE:
        if decision.detail:
            yield decision.detail
    elif decision.held and decision.wanted:
        held, wanted = decision.held.record, decision.wanted
        for difference in decision.detail.split(", "):
            match difference:
                case "targets":
                    yield from _targets(held.targets, wanted.targets)
                case "ttl":
                    yield f"ttl {held.ttl_s} s → {wanted.ttl_s} s"
                case "properties":
                    yield from _properties(held.properties, wanted.properties)
                case "owner":
                    yield f'owner "{decision.held.owner}" → ours'
                case _:
                    pass


def _targets(held: Sequence[str], wanted: Sequence[str]) -> Iterator[str]:
    """Both if they are few, else what is gone and what is new: the difference must not hide in `and 9 more`."""
    if max(len(held), len(wanted)) <= _MAX_TARGETS:
        yield f"target {joined(held)} → {joined(wanted)}"
        return
    gone = [target for target in held if target not in wanted]
    new = [target for target in wanted if target not in held]
    if gone:
        yield f"{len(gone)} of {len(held)} targets go: {joined(gone)}"
    if new:
        yield f"{len(new)} of {len(wanted)} targets are new: {joined(new)}"


def _properties(held: Pairs, wanted: Pairs) -> Iterator[str]:
    for key in sorted({key for key, _ in (*held, *wanted)}):
        if held.get(key) != wanted.get(key) or held.has(key) is not wanted.has(key):
            yield f"{key} {_or_none(held, key)} → {_or_none(wanted, key)}"


def _or_none(properties: Pairs, key: str) -> str:
    return (properties.get(key) or '""') if properties.has(key) else "none"


def incomplete(missing: Iterable[str]) -> Iterator[str]:
    """A line for each thing that could not be read, safe for a terminal."""
    return (f"INCOMPLETE: {printable(sentence)}" for sentence in missing)


def as_known(sentence: str, missing: Collection[str]) -> str:
    """*sentence*, which has no full stop yet, and whether it rests on all there is."""
    return f"{sentence}, as far as could be read." if missing else f"{sentence}."


def joined(targets: Sequence[str]) -> str:
    """The first of *targets*, each cut to what a line can bear, and how many more there are."""
    text = ", ".join(shortened(target, _MAX_TARGET) for target in targets[:_MAX_TARGETS])
    more = len(targets) - _MAX_TARGETS
    return f"{text} and {more} more" if more > 0 else text
