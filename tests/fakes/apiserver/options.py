"""The query of a list or watch, checked as k8s.io/apimachinery checks `ListOptions`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from tests.fakes.apiserver.selectors import FieldSelector, LabelSelector
from tests.fakes.apiserver.statuses import ApiError, invalid

_TRUE: Final = {"1", "t", "T", "true", "TRUE", "True"}
_EXACT: Final = "Exact"
_NOT_OLDER: Final = "NotOlderThan"


class WatchList(StrEnum):
    """What becomes of a watch with `sendInitialEvents`.

    A server that knows WatchList takes a watch from no version, or from 0, for one that asks for it.
    """

    SERVED = "served"
    REFUSED_BY_STORE = "refused-by-store"  # etcd 3.4: an ERROR frame, code 500
    GATED = "gated"  # the server knows the parameter, its feature gate is off: 422
    UNKNOWN = "unknown"  # a server older than 1.27: 422 for resourceVersionMatch, which no watch could have

    @property
    def known(self) -> bool:
        """Whether the server heeds `sendInitialEvents`."""
        return self in {WatchList.SERVED, WatchList.REFUSED_BY_STORE}


@dataclass(frozen=True, slots=True, kw_only=True)
class ListOptions:
    """What a list or watch asks for.

    Attributes:
        version: as asked for; None stands for not given.
        exact: the state at just that version.
        initial: `sendInitialEvents` as the server takes it, None if it knows nothing of it.
        timeout_s: when a watch ends by itself; None stands for not given.
    """

    labels: LabelSelector
    fields: FieldSelector
    limit: int
    token: str
    version: int | None
    exact: bool
    bookmarks: bool
    initial: bool | None
    timeout_s: int | None


def is_true(text: str) -> bool:
    """Tell whether a query value means true."""
    return text in _TRUE


def parse(query: Mapping[str, str], watch_list: WatchList) -> ListOptions:
    """Read *query*.

    Raises:
        ApiError: 400 for what cannot be parsed, 422 for what contradicts itself.
    """
    _check(query, watch_list)
    text = query.get("resourceVersion", "")
    if text and not text.isdecimal():
        why = f'Invalid value: "{text}": strconv.ParseUint: parsing "{text}": invalid syntax'
        if is_true(query.get("watch", "")):
            raise ApiError(500, f"resourceVersion: {why}", reason="")
        raise ApiError(400, f"invalid resource version: resourceVersion: {why}")
    version = int(text) if text else None
    limit = _number(query, "limit") or 0
    token = query.get("continue", "")
    if token and version:
        raise ApiError(400, "specifying resource version is not allowed when using continue")
    match = query.get("resourceVersionMatch", "")
    return ListOptions(
        labels=LabelSelector.parse(query.get("labelSelector", "")),
        fields=FieldSelector.parse(query.get("fieldSelector", "")),
        limit=0 if version == 0 else limit,  # the watch cache answers version 0, and knows no pages
        token=token,
        version=version,
        exact=bool(version) and (match == _EXACT or (not match and limit > 0)),
        bookmarks=is_true(query.get("allowWatchBookmarks", "")),
        initial=_initial(query, watch_list),
        timeout_s=_number(query, "timeoutSeconds") or None,
    )


def _initial(query: Mapping[str, str], watch_list: WatchList) -> bool | None:
    if not watch_list.known:
        return None
    if said := query.get("sendInitialEvents"):
        return is_true(said)
    return query.get("resourceVersion", "") in {"", "0"} or None


def _number(query: Mapping[str, str], name: str) -> int | None:
    text = query.get(name, "")
    if text and not text.isdecimal():
        raise ApiError(400, f'strconv.ParseInt: parsing "{text}": invalid syntax')
    return int(text) if text else None


def _check(query: Mapping[str, str], watch_list: WatchList) -> None:
    watching = is_true(query.get("watch", ""))
    causes = _wrong_in_watch(query, watch_list) if watching else _wrong_in_list(query)
    if causes:
        raise invalid("ListOptions.meta.k8s.io", "", *causes)


def _wrong_in_list(query: Mapping[str, str]) -> list[tuple[str, str, str]]:
    match, version = query.get("resourceVersionMatch", ""), query.get("resourceVersion", "")
    wrong = []
    if match and not version:
        wrong.append(_no_match("is forbidden unless resourceVersion is provided"))
    if match and query.get("continue"):
        wrong.append(_no_match("is forbidden when continue is provided"))
    if match not in {"", _EXACT, _NOT_OLDER}:
        wrong.append(_unsupported(match, f'"{_EXACT}", "{_NOT_OLDER}", ""'))
    if match == _EXACT and version == "0":
        wrong.append(_no_match('"exact" is forbidden for resourceVersion "0"'))
    if query.get("sendInitialEvents"):
        wrong.append(_no_initial("sendInitialEvents is forbidden for list"))
    return wrong


def _wrong_in_watch(query: Mapping[str, str], watch_list: WatchList) -> list[tuple[str, str, str]]:
    match, initial = query.get("resourceVersionMatch", ""), query.get("sendInitialEvents", "")
    wrong = []
    if watch_list is WatchList.UNKNOWN:
        return [_no_match("is forbidden for watch")] if match else []
    if initial and match != _NOT_OLDER:
        text = f"sendInitialEvents requires setting resourceVersionMatch to {_NOT_OLDER}"
        wrong.append(("resourceVersionMatch", "FieldValueForbidden", f"Forbidden: {text}"))
    if initial and watch_list is WatchList.GATED:
        wrong.append(
            _no_initial("sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled")
        )
    if match and not initial:
        wrong.append(_no_match("is forbidden for watch unless sendInitialEvents is provided"))
    if match not in {"", _NOT_OLDER}:
        wrong.append(_unsupported(match, f'"{_NOT_OLDER}"'))
    if match and query.get("continue"):
        wrong.append(_no_match("is forbidden when continue is provided"))
    return wrong


def _no_match(why: str) -> tuple[str, str, str]:
    return "resourceVersionMatch", "FieldValueForbidden", f"Forbidden: resourceVersionMatch {why}"


def _no_initial(why: str) -> tuple[str, str, str]:
    return "sendInitialEvents", "FieldValueForbidden", f"Forbidden: {why}"


def _unsupported(match: str, allowed: str) -> tuple[str, str, str]:
    text = f'Unsupported value: "{match}": supported values: {allowed}'
    return "resourceVersionMatch", "FieldValueNotSupported", text
