"""Lists of zones: all that a service lists, or those that `--zone-id-filter` names, read one by one."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from typing import Final, Generic, NamedTuple, TypeVar

from extdns.model.zone import AccountFailure, Zone, ZoneList
from providers.common.api_calls import CallFailedError, FailureKind

T = TypeVar("T")
_ZONE_ID_FILTER_HINT: Final = "; without it, give the ids of the zones in --zone-id-filter, which are read one by one"
"""What a person can do if listing zones is forbidden."""


class FoundZones(NamedTuple, Generic[T]):
    """Zones in the form of the service, the number of calls that they took, and why others are missing.

    Attributes:
        list_error: why all zones could not be listed, so that those with the ids were read; None if they were listed.
    """

    zones: tuple[T, ...]
    calls: int
    failed: tuple[AccountFailure, ...] = ()
    list_error: CallFailedError | None = None

    def build_list(self, build: Callable[[T], tuple[Zone, bool] | None]) -> ZoneList:
        """Return the list. *build* returns a zone and whether the filters select it; None for one of no use."""
        zones = {built for found in self.zones if (built := build(found)) is not None}
        return ZoneList(
            zones=tuple(sorted(zone for zone, is_selected in zones if is_selected)),
            failed=self.failed,
            calls=self.calls,
            excluded=tuple(sorted({zone.name for zone, is_selected in zones if not is_selected})),
        )


def find_zones(
    list_zones: Callable[[], tuple[tuple[T, ...], int]],
    get_zone: Callable[[str], T],
    ids: Sequence[str],
    *,
    ignored: Container[FailureKind] = (),
) -> FoundZones[T]:
    """Return the zones that *list_zones* returns with the number of its calls; if it is forbidden, those with *ids*.

    Raises:
        ProviderError: the zones cannot be listed or read, and not for lack of permissions.
    """
    try:
        return FoundZones(*list_zones())
    except CallFailedError as exc:
        if exc.kind is not FailureKind.FORBIDDEN:
            raise
        if not ids:
            return FoundZones((), 1, (_build_failure(exc, _ZONE_ID_FILTER_HINT),))
        found = get_zones(get_zone, ids, ignored=ignored)
        return found._replace(calls=1 + found.calls, list_error=exc)


def get_zones(
    get_zone: Callable[[str], T], ids: Sequence[str], *, ignored: Container[FailureKind] = ()
) -> FoundZones[T]:
    """Return the zones with *ids*. One that is forbidden or unknown is a failure, unless that kind is in *ignored*.

    Raises:
        ProviderError: a zone cannot be read now.
    """
    found: list[T] = []
    failed: list[AccountFailure] = []
    for zone_id in ids:
        try:
            found.append(get_zone(zone_id))
        except CallFailedError as exc:
            if exc.kind not in {FailureKind.FORBIDDEN, FailureKind.REFUSED}:
                raise
            if exc.kind not in ignored:
                failed.append(_build_failure(exc))
    return FoundZones(tuple(found), len(ids), tuple(failed))


def _build_failure(exc: CallFailedError, hint: str = "") -> AccountFailure:
    return AccountFailure(account="", message=f"{exc}{hint}", permanent=True)
