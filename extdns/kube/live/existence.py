"""Ask the API server whether an object exists.

Each check is a GET, up to a rate limit. Above that limit, one list of a kind answers all checks of its objects for
10 s, so that 50,000 checks do not cause 50,000 requests. A list is not used if it lacks an object that a GET has just
found.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from threading import Lock
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from extdns.errors import ApiError, DeniedError, NotFoundError, sanitize
from extdns.kube.api_protocol import build_collection_path, build_object_path
from extdns.kube.live import responses
from extdns.kube.live.pages import PAGE_SIZE, read_pages
from extdns.model.kind import Kind, ObjectKey
from extdns.resources.externaldns import DnsEndpointMeta

if TYPE_CHECKING:
    from extdns.kube.api import ApiClient


GETS_PER_S: Final = 10.0
"""Rate limit of GETs: twice the default of external-dns (`--kube-api-qps`), low enough for other clients."""

GET_BURST: Final = 50.0
"""How many GETs may be sent at once. Ordinary incidents need fewer, and a list costs more than this many GETs."""

_LIST_VALID_S: Final = 10.0
"""How long the result or failure of one list is used. 50,000 checks take less time."""

_FOUND_VALID_S: Final = 60.0
"""For this long after a GET found an object, a list must contain it. Later, the object may have been deleted."""


class _Found(msgspec.Struct, frozen=True):
    metadata: DnsEndpointMeta  # of any object: only DNSEndpoints have finalizers of extdns


_FOUND: Final = msgspec.json.Decoder(_Found)


class _Listed(NamedTuple):
    """Namespace and name of each object in a list of one kind, or the reason why the list failed."""

    started_at_s: float
    names: frozenset[tuple[str, str]]
    failure: ApiError | None = None


class ExistenceChecker:
    """Checks the existence of objects; safe from any thread."""

    def __init__(
        self,
        api: ApiClient,
        page_size: int,
        *,
        scope: Callable[[ObjectKey], str] = lambda key: key.namespace,
        check_identity: Callable[[float], int] = lambda _: 0,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Check objects through *api*.

        *scope* returns, for the key of an object, the namespace to list in place of many GETs; "" is all namespaces.
        *check_identity* is `IdentityReader.check`; what it returns changes when another cluster responds.
        """
        self._api = api
        self._page_size = page_size
        self._scope = scope
        self._check_identity = check_identity
        self._monotonic = monotonic
        self._lock = Lock()
        self._tokens, self._tokens_at_s = GET_BURST, monotonic()
        self._found: dict[ObjectKey, float] = {}
        self._listing = Lock()
        self._lists: dict[tuple[Kind, str], _Listed] = {}

    def exists(self, key: ObjectKey) -> bool:
        """Return whether the object at *key* exists.

        Raises:
            ApiError: the API server gives no reliable response.
        """
        try:
            build_object_path(key)
        except ValueError as exc:  # an ownership record may contain any text
            raise ApiError(f"{sanitize(key.resource)}: {exc}") from exc
        if not self._may_get():
            return self._is_listed(key, self._scope(key))
        try:
            exists = self._get(key)
        except DeniedError:
            return self._is_listed(key, key.namespace)
        if exists:
            self._remember(key)
        return exists

    def _may_get(self) -> bool:
        with self._lock:
            now_s = self._monotonic()
            self._tokens = min(GET_BURST, self._tokens + (now_s - self._tokens_at_s) * GETS_PER_S)
            self._tokens_at_s = now_s
            if self._tokens < 1.0:
                return False
            self._tokens -= 1.0
            return True

    def _remember(self, key: ObjectKey) -> None:
        with self._lock:
            now_s = self._monotonic()
            self._found = {one: at_s for one, at_s in self._found.items() if now_s - at_s < _FOUND_VALID_S}
            self._found[key] = now_s

    def _get(self, key: ObjectKey) -> bool:
        """Return whether a GET finds the object at *key*, in the first API version that is served.

        Before returning False, check that the same cluster still responds.
        """
        started_at_s, epoch = self._monotonic(), self._check_identity(-math.inf)
        failure = ApiError(f"{key.kind.name} is not served")
        for kind in key.kind.versions:
            found = key._replace(kind=kind)
            path = build_object_path(found)
            try:
                content = self._api.get(path)
                head = responses.decode_header(kind, f"GET {path}", content)
            except NotFoundError as exc:
                try:
                    absent = is_absent(self._api, found, exc)
                except ApiError as why:
                    failure = why
                    continue
                if absent:
                    self._ensure_same_cluster(epoch, started_at_s)
                return not absent
            else:
                if (head.name, head.namespace) != (key.name, key.namespace):
                    raise ApiError(f"GET {path}: the response contains another object")
                if not responses.decode_any_depth(_FOUND, content).metadata.is_waiting:
                    return True
                self._ensure_same_cluster(epoch, started_at_s)
                return False
        raise failure

    def _ensure_same_cluster(self, epoch: int, started_at_s: float) -> None:
        """Raise `ApiError` if a cluster other than that of *epoch* has responded since *started_at_s*."""
        if self._check_identity(started_at_s) != epoch:
            raise ApiError("another cluster responds at this address now")

    def _is_listed(self, key: ObjectKey, namespace: str) -> bool:
        scope_key = key.kind, namespace
        with self._listing:
            after_s = self._monotonic() - _LIST_VALID_S
            self._lists = {one: found for one, found in self._lists.items() if found.started_at_s > after_s}
            if scope_key not in self._lists:
                self._lists[scope_key] = self._list(key.kind, namespace)
            listed = self._lists[scope_key]
        if listed.failure is not None:
            raise listed.failure
        return (key.namespace, key.name) in listed.names

    def _list(self, kind: Kind, namespace: str) -> _Listed:
        started_at_s = self._monotonic()
        try:
            epoch = self._check_identity(-math.inf)
            names = self._list_names_in_any_version(kind, namespace)
            self._ensure_same_cluster(epoch, started_at_s)
        except ApiError as exc:
            return _Listed(started_at_s, frozenset(), exc)
        for key in self._list_recently_found(kind, namespace, started_at_s):
            if (key.namespace, key.name) not in names:
                failure = ApiError(f"the list of {kind.resource} lacks {key.resource}, which a GET found")
                return _Listed(started_at_s, frozenset(), failure)
        return _Listed(started_at_s, names)

    def _list_recently_found(self, kind: Kind, namespace: str, now_s: float) -> list[ObjectKey]:
        with self._lock:
            found = [key for key, at_s in self._found.items() if now_s - at_s < _FOUND_VALID_S]
        return sorted(key for key in found if key.kind == kind and namespace in {"", key.namespace})

    def _list_names_in_any_version(self, kind: Kind, namespace: str) -> frozenset[tuple[str, str]]:
        """List namespace and name of all objects, in the first served version of *kind*."""
        *preferred, last = kind.versions
        for version in preferred:
            with suppress(NotFoundError):
                return _list_names(self._api, version, namespace, page_size=self._page_size)
        return _list_names(self._api, last, namespace, page_size=self._page_size)


def read_existing(api: ApiClient, key: ObjectKey) -> bytes | None:
    """Return the object at *key*, None if there is none.

    Raises:
        ApiError: the API server gives no reliable response.
    """
    try:
        return api.get(build_object_path(key))
    except NotFoundError as exc:
        if is_absent(api, key, exc):
            return None
        raise ApiError(f"{exc} (but a list contains the {key.kind.name})") from exc


def is_absent(api: ApiClient, key: ObjectKey, answer: NotFoundError) -> bool:
    """Return whether the object at *key* is absent, given the 404 response *answer* to a GET.

    If the response does not name the object, list the object by name, to see that its kind is served.

    Raises:
        ApiError: neither the response nor the list is conclusive.
    """
    if answer.name == key.name:
        return True
    if answer.name:
        raise ApiError(f"{answer}; expected: a response about {key.name}", code=answer.code)
    try:
        # servers that ignore the selector return other objects, too
        listed = _list_names(api, key.kind, key.namespace, {"fieldSelector": f"metadata.name={key.name}"})
    except NotFoundError as exc:
        raise ApiError(f"{answer} ({key.kind.resource} {key.kind.version} is not served)") from exc
    except ApiError as exc:
        raise ApiError(f"{answer} (the response does not name the object, and listing it failed: {exc})") from exc
    return all(name != key.name for _, name in listed)


def _list_names(
    api: ApiClient, kind: Kind, namespace: str, query: Mapping[str, str] | None = None, *, page_size: int = PAGE_SIZE
) -> frozenset[tuple[str, str]]:
    """List namespace and name of the objects; raises `ApiError` also if an object cannot be identified."""
    path = build_collection_path(kind, namespace)
    names: set[tuple[str, str]] = set()
    for page in read_pages(api, kind, path, query, page_size=page_size):
        heads = [item.header for item in page.items]
        if None in heads:
            raise ApiError(f"GET {path}: the list is incomplete: an item without a name")
        names.update((head.namespace if kind.namespaced else "", head.name) for head in heads if head is not None)
    return frozenset(names)
