"""Parse the query of a list or watch, with the checks of `ListOptions` in k8s.io/apimachinery."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from tests.fakes.apiserver.statuses import ApiError, invalid

_TRUE: Final = {"1", "t", "T", "true", "TRUE", "True"}
_EXACT: Final = "Exact"
_NOT_OLDER: Final = "NotOlderThan"


class WatchList(StrEnum):
    """How the server treats a watch with `sendInitialEvents`.

    A server with this feature treats a watch without a version, or from version 0, as one with initial events.
    """

    SERVED = "served"
    REFUSED_BY_STORE = "refused-by-store"  # as with etcd 3.4: an ERROR event with code 500
    GATED = "gated"  # the feature gate is off: status 422
    UNKNOWN = "unknown"  # a server older than 1.27: 422 for resourceVersionMatch, which no watch could have

    @property
    def is_supported(self) -> bool:
        """Whether the server supports `sendInitialEvents`."""
        return self in {WatchList.SERVED, WatchList.REFUSED_BY_STORE}


@dataclass(frozen=True, slots=True, kw_only=True)
class ListOptions:
    """The options of a list or watch request.

    Attributes:
        name: the name that the field selector requests; "" for all.
        version: the requested resourceVersion; None if the request has none.
        exact: whether the objects at exactly this version are requested.
        initial: the value of `sendInitialEvents`; None if the server does not support it.
        timeout_s: after how long the watch ends; None if the request has no timeout.
    """

    name: str
    limit: int
    token: str
    version: int | None
    exact: bool
    bookmarks: bool
    initial: bool | None
    timeout_s: int | None


def is_true(text: str) -> bool:
    return text in _TRUE


def parse(query: Mapping[str, str], watch_list: WatchList) -> ListOptions:
    _check(query, watch_list)
    text = query.get("resourceVersion", "")
    if text and not text.isdecimal():
        reason = f'Invalid value: "{text}": strconv.ParseUint: parsing "{text}": invalid syntax'
        if is_true(query.get("watch", "")):
            raise ApiError(500, f"resourceVersion: {reason}", reason="")
        raise ApiError(400, f"invalid resource version: resourceVersion: {reason}")
    version = int(text) if text else None
    limit = _parse_number(query, "limit") or 0
    token = query.get("continue", "")
    if token and version:
        raise ApiError(400, "specifying resource version is not allowed when using continue")
    match = query.get("resourceVersionMatch", "")
    return ListOptions(
        name=_parse_name(query),
        limit=0 if version == 0 else limit,  # version 0 is answered by the watch cache, which has no pages
        token=token,
        version=version,
        exact=bool(version) and (match == _EXACT or (not match and limit > 0)),
        bookmarks=is_true(query.get("allowWatchBookmarks", "")),
        initial=_parse_initial(query, watch_list),
        timeout_s=_parse_number(query, "timeoutSeconds") or None,
    )


def _parse_name(query: Mapping[str, str]) -> str:
    selector = query.get("fieldSelector", "")
    field, _, name = selector.partition("=")
    if selector and field != "metadata.name":
        raise ApiError(400, f"field label not supported: {field}")
    return name


def _parse_initial(query: Mapping[str, str], watch_list: WatchList) -> bool | None:
    if not watch_list.is_supported:
        return None
    if flag := query.get("sendInitialEvents"):
        return is_true(flag)
    return query.get("resourceVersion", "") in {"", "0"} or None


def _parse_number(query: Mapping[str, str], name: str) -> int | None:
    text = query.get(name, "")
    if text and not text.isdecimal():
        raise ApiError(400, f'strconv.ParseInt: parsing "{text}": invalid syntax')
    return int(text) if text else None


def _check(query: Mapping[str, str], watch_list: WatchList) -> None:
    watching = is_true(query.get("watch", ""))
    causes = _find_watch_problems(query, watch_list) if watching else _find_list_problems(query)
    if causes:
        raise invalid("ListOptions.meta.k8s.io", "", *causes)


def _find_list_problems(query: Mapping[str, str]) -> list[tuple[str, str, str]]:
    match, version = query.get("resourceVersionMatch", ""), query.get("resourceVersion", "")
    problems = []
    if match and not version:
        problems.append(_forbid_match("is forbidden unless resourceVersion is provided"))
    if match and query.get("continue"):
        problems.append(_forbid_match("is forbidden when continue is provided"))
    if match not in {"", _EXACT, _NOT_OLDER}:
        problems.append(_describe_unsupported(match, f'"{_EXACT}", "{_NOT_OLDER}", ""'))
    if match == _EXACT and version == "0":
        problems.append(_forbid_match('"exact" is forbidden for resourceVersion "0"'))
    if query.get("sendInitialEvents"):
        problems.append(_forbid_initial("sendInitialEvents is forbidden for list"))
    return problems


def _find_watch_problems(query: Mapping[str, str], watch_list: WatchList) -> list[tuple[str, str, str]]:
    match, initial = query.get("resourceVersionMatch", ""), query.get("sendInitialEvents", "")
    problems = []
    if watch_list is WatchList.UNKNOWN:
        return [_forbid_match("is forbidden for watch")] if match else []
    if initial and match != _NOT_OLDER:
        text = f"sendInitialEvents requires setting resourceVersionMatch to {_NOT_OLDER}"
        problems.append(("resourceVersionMatch", "FieldValueForbidden", f"Forbidden: {text}"))
    if initial and watch_list is WatchList.GATED:
        problems.append(
            _forbid_initial("sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled")
        )
    if match and not initial:
        problems.append(_forbid_match("is forbidden for watch unless sendInitialEvents is provided"))
    if match not in {"", _NOT_OLDER}:
        problems.append(_describe_unsupported(match, f'"{_NOT_OLDER}"'))
    if match and query.get("continue"):
        problems.append(_forbid_match("is forbidden when continue is provided"))
    return problems


def _forbid_match(reason: str) -> tuple[str, str, str]:
    return "resourceVersionMatch", "FieldValueForbidden", f"Forbidden: resourceVersionMatch {reason}"


def _forbid_initial(reason: str) -> tuple[str, str, str]:
    return "sendInitialEvents", "FieldValueForbidden", f"Forbidden: {reason}"


def _describe_unsupported(match: str, allowed: str) -> tuple[str, str, str]:
    text = f'Unsupported value: "{match}": supported values: {allowed}'
    return "resourceVersionMatch", "FieldValueNotSupported", text
