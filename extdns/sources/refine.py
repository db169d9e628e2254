"""Stages that every wanted endpoint passes on its way out of a source (spec sources 0.2, 1.6, 8)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain

from extdns.errors import not_valid
from extdns.model import rrtype
from extdns.model.claim import Claim, Wanted, Withheld
from extdns.model.cluster import Kind
from extdns.model.objects import KubernetesObject
from extdns.model.reason import Reason
from extdns.model.record import Endpoint
from extdns.model.validity import Flaw, flaw
from extdns.ports import Source, View

# What becomes of a claim: itself, others in its place, or others beside it.
Stage = Callable[[Wanted], tuple[Claim, ...]]


def validated(wanted: Wanted) -> tuple[Wanted | Withheld]:
    """*wanted*; withheld if its endpoint is no record (spec sources 1.6), or none that can be published.

    The latter are those without target, and those of types that no mark proves.
    """
    field = wanted.provenance.field
    found = flaw(wanted.endpoint) or _unownable(wanted.endpoint)
    if found is not None:
        detail = f"{field}: {not_valid(found.value, found.allowed)}"
        return (_withheld(wanted, Reason.INVALID_ENDPOINT, detail),)
    if not wanted.endpoint.targets:
        detail = f"{field} has no target; allowed: at least one, there or by --default-targets"
        return (_withheld(wanted, Reason.UNSUPPORTED, detail),)
    return (wanted,)


def _unownable(endpoint: Endpoint) -> Flaw | None:
    if endpoint.type in rrtype.OWNABLE:
        return None
    return Flaw(value=endpoint.type, allowed=f"as record type {', '.join(rrtype.OWNABLE)}")


def _withheld(wanted: Wanted, reason: Reason, detail: str) -> Withheld:
    return Withheld(
        name=wanted.name,
        set_identifier=wanted.set_identifier,
        provenance=wanted.provenance,
        reason=reason,
        detail=detail,
        type=wanted.endpoint.type,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Refined:
    """A source whose wanted endpoints pass *stages*, in their order; other claims pass as they are."""

    source: Source
    stages: tuple[Stage, ...]

    @property
    def name(self) -> str:
        """As `--source` spells it."""
        return self.source.name

    @property
    def kind(self) -> Kind:
        """The kind of object whose changes the source follows."""
        return self.source.kind

    def claims(self, obj: KubernetesObject, view: View) -> tuple[Claim, ...]:
        """The source's claims and what is derived of each, in order, none twice; raises what the source raises."""
        claims = refined = self.source.claims(obj, view)
        for stage in self.stages:
            made = [stage(claim) if isinstance(claim, Wanted) else (claim,) for claim in refined]
            refined = tuple(chain.from_iterable(made))
        return claims if refined == claims else tuple(dict.fromkeys(refined))
