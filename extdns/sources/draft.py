"""The claims of one object, collected host by host."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, assert_never

from extdns.errors import InvalidValueError
from extdns.model import pairs, rrtype
from extdns.model.claim import Claim, Filtered, Invalid, Notice, Provenance, Wanted, Withheld
from extdns.model.cluster import ObjectRef
from extdns.model.name import DnsName
from extdns.model.pairs import Pairs
from extdns.model.reason import Reason
from extdns.model.record import RESOURCE, Endpoint
from extdns.sources.targets import Answer, Found, LeftOut, Missing
from extdns.sources.terms import Terms

_Key = tuple[DnsName, str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class _Want:
    provenance: Provenance
    targets: tuple[str, ...]


class Draft:
    """Merges what one object says about its hosts into claims; lives for one call of `Source.claims`.

    What is said twice about one name is merged (spec sources 1.5): targets unite, but for CNAME,
    where each set of targets stays a claim of its own. The first mention names the field.
    """

    __slots__ = ("_invalid", "_labels", "_left_out", "_missing", "_notices", "_ref", "_source", "_terms", "_wanted")

    def __init__(self, source: str, ref: ObjectRef, terms: Terms, *, resource: str | None = None) -> None:
        """Claim for the object at *ref*, which marks name *resource*, None: as its key does, "": not at all."""
        label = ref.key.resource if resource is None else resource
        self._labels: Final = Pairs(((RESOURCE, label),)) if label else pairs.NONE
        self._source: Final = source
        self._ref: Final = ref
        self._terms: Final = terms
        self._wanted: dict[_Key, _Want] = {}
        self._missing: dict[DnsName, Withheld] = {}
        self._left_out: dict[DnsName, Filtered] = {}
        self._invalid: dict[Invalid, None] = {}
        self._notices: dict[Notice, None] = dict.fromkeys(terms.notices)

    def name(self, text: str, field: str) -> DnsName | None:
        """*text* as a name; None, and an `Invalid` claim, if it is none."""
        try:
            return DnsName.parse(text)
        except InvalidValueError as exc:
            self.refuse(text, field, Reason(exc.reason), exc.allowed)
            return None

    def ask(self, text: str, field: str, answer: Answer) -> None:
        """Say that *field* asks for *text*, if that is a name, which shall point at *answer*."""
        name = self.name(text, field)
        if name is not None:
            self.add(name, field, answer)

    def refuse(self, text: str, field: str, reason: Reason, allowed: str) -> None:
        """Say that *text* in *field* is not what is *allowed*."""
        self._invalid[Invalid(provenance=self._provenance(field), reason=reason, value=text, allowed=allowed)] = None

    def add(self, name: DnsName, field: str, answer: Answer) -> None:
        """Say that *field* asks for *name*, which shall point at *answer*."""
        match answer:
            case Found():
                self._notices |= dict.fromkeys(answer.notices)
                for rtype, targets in answer.groups:
                    self._want(name, rtype, targets, field)
            case Missing():
                self._notices |= dict.fromkeys(answer.notices)
                if name not in self._missing:
                    self._missing[name] = self._withheld(name, field, answer)
            case LeftOut():
                self._left_out.setdefault(name, Filtered(ref=self._ref, by=answer.by, name=name))
            case _:
                assert_never(answer)

    @property
    def wants(self) -> bool:
        """Whether there is anything to be published by now."""
        return bool(self._wanted)

    def claims(self) -> tuple[Claim, ...]:
        """Claims wanted, withheld, filtered (each by name, then type) and invalid (as they were met).

        A name that is wanted is not also withheld or filtered, nor a withheld one also filtered.
        What would be a notice but has no record to stand on is an `Invalid` claim.
        """
        notices = tuple(self._notices)
        claims: list[Claim] = [self._claim(key, self._wanted[key], notices) for key in sorted(self._wanted)]
        if self._missing or self._left_out:
            claims += self._unwanted()
        claims += self._invalid
        if not self._wanted:
            claims += (self._homeless(notice) for notice in notices)
        return tuple(claims)

    def _unwanted(self) -> Iterator[Claim]:
        wanted = {name for name, _, _ in self._wanted}
        yield from (self._missing[name] for name in sorted(self._missing.keys() - wanted))
        yield from (self._left_out[name] for name in sorted(self._left_out.keys() - self._missing.keys() - wanted))

    def _provenance(self, field: str) -> Provenance:
        return Provenance(source=self._source, ref=self._ref, field=field)

    def _want(self, name: DnsName, rtype: str, targets: tuple[str, ...], field: str) -> None:
        key = (name, rtype, targets if rtype == rrtype.CNAME else ())
        earlier = self._wanted.get(key)
        if earlier is None:
            self._wanted[key] = _Want(self._provenance(field), targets)
        elif earlier.targets != targets:
            union = tuple(sorted({*earlier.targets, *targets}))
            self._wanted[key] = _Want(earlier.provenance, union)

    def _claim(self, key: _Key, want: _Want, notices: tuple[Notice, ...]) -> Wanted:
        endpoint = Endpoint(
            name=key[0],
            type=key[1],
            targets=want.targets,
            ttl_s=self._terms.ttl_s,
            set_identifier=self._terms.set_identifier,
            labels=self._labels,
            properties=self._terms.properties,
        )
        return Wanted(endpoint=endpoint, provenance=want.provenance, notices=notices)

    def _withheld(self, name: DnsName, field: str, answer: Missing) -> Withheld:
        return Withheld(
            name=name,
            set_identifier=self._terms.set_identifier,
            provenance=self._provenance(field),
            reason=answer.reason,
            detail=answer.detail,
        )

    def _homeless(self, notice: Notice) -> Invalid:
        provenance = self._provenance(notice.field)
        return Invalid(provenance=provenance, reason=notice.reason, value=notice.value, allowed=notice.allowed)
