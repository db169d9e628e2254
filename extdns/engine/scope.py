"""The scope of a pass: which zones, objects and names there are, and what the domain filters leave of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from extdns.model.claim import ExcludedClaim
from extdns.model.reason import Category, Reason, select_reasons
from extdns.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from extdns.engine.engine import Engine


_EXCLUDING: Final = select_reasons(Category.EXCLUDED)
_OF_STATUS: Final = (Reason.NO_ADDRESS, Reason.NOT_ACCEPTED)


class PassScope(Value, frozen=True, kw_only=True):
    """What a pass found to plan, and what filters exclude.

    Attributes:
        zones: the names of the zones, sorted.
        excluded_zones: the names of the zones that the filters exclude, sorted.
        knows_zones: whether the zones of all accounts could be listed.
        objects: how many objects the sources have observed; an object that two sources read counts twice.
        knows_objects: whether every kind and every manifest could be read.
        requests_names: whether an object requests a name.
        excluding_flags: the flags that exclude objects or names, sorted, if no object requests a name; otherwise ().
        ignored_documents: a message for each document that is not an object, and for each kind that no source reads,
            sorted; a second line says what to do, if that is not the same for all documents.
        excluded_names: the requested names, if filters of names and types exclude all of them; otherwise ().
        without_status: how many requests are not fulfilled because a status has no address, or no acceptance.
    """

    zones: tuple[str, ...]
    excluded_zones: tuple[str, ...]
    knows_zones: bool
    objects: int
    knows_objects: bool
    requests_names: bool
    excluded_names: tuple[str, ...]
    excluding_flags: tuple[str, ...] = ()
    ignored_documents: tuple[str, ...] = ()
    without_status: int = 0


def measure_scope(engine: Engine) -> PassScope:
    """Return what the pass of *engine* found to plan, and what filters excluded."""
    return PassScope(
        zones=tuple(zone_state.zone.name for zone_state in engine.zones),
        excluded_zones=engine.zones.excluded,
        knows_zones=engine.zones.is_listed and not engine.zones.failed_accounts,
        objects=len(engine.claims.list_sources_and_objects()),
        knows_objects=not engine.readiness.find_missing() and not any(engine.problems.messages()),
        requests_names=bool(engine.claims.names()),
        excluded_names=tuple(_find_excluded_names(engine)),
        excluding_flags=() if engine.claims.names() else tuple(sorted(_find_excluding_flags(engine))),
        ignored_documents=engine.problems.list_ignored(),
        without_status=sum(engine.decisions.reasons[reason] for reason in _OF_STATUS),
    )


def _find_excluded_names(engine: Engine) -> Iterator[str]:
    """Yield every requested name, sorted, if filters of names and types exclude all of them."""
    names = engine.claims.names()
    if not any(engine.decisions.reasons[reason] for reason in _EXCLUDING):
        return
    if all(one.reason in _EXCLUDING for name in names for one in engine.decisions.decisions(name)):
        yield from sorted(names)


def _find_excluding_flags(engine: Engine) -> set[str]:
    causes = {
        one.excluded_by for _, claims in engine.claims.objects() for one in claims if isinstance(one, ExcludedClaim)
    }
    return {cause for cause in causes if cause.startswith("--")}
