"""Asks the API server whether an object exists now."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from threading import Lock
from typing import Final

from extdns.errors import ApiError, DeniedError, NotFoundError
from extdns.kube.api import Api
from extdns.kube.live import wire
from extdns.kube.paths import collection_path, object_path
from extdns.model.cluster import Kind, ObjectKey

_FRESH_S: Final = 10.0
"""A list answers for so long, because many objects may be asked for in a row."""


class Existence:
    """Safe from any thread."""

    def __init__(self, api: Api, page_size: int, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        """Ask *api*; lists come by pages of *page_size*."""
        self._api = api
        self._page_size = page_size
        self._monotonic = monotonic
        self._lock = Lock()
        self._lists: dict[tuple[Kind, str], tuple[float, frozenset[str]]] = {}

    def ask(self, key: ObjectKey) -> bool | None:
        """Get *key*, or, where that is not granted, list its namespace; None if it cannot be known."""
        for form in key.kind.forms:
            try:
                path = object_path(key._replace(kind=form))
                got = wire.item(self._api.get(path)).head
            except NotFoundError as exc:
                if exc.name == key.name:
                    return False
            except DeniedError:
                return self._listed(key)
            except (ApiError, ValueError):
                return None
            else:
                return True if got is not None and got.name == key.name else None
        return None

    def _listed(self, key: ObjectKey) -> bool | None:
        place = key.kind, key.namespace
        with self._lock:
            begun_s, names = self._lists.get(place, (0.0, frozenset[str]()))
            if place not in self._lists or self._monotonic() - begun_s >= _FRESH_S:
                begun_s = self._monotonic()
                try:
                    names = self._all_names(key.kind, key.namespace)
                except ApiError:
                    return None
                self._lists[place] = begun_s, names
        return key.name in names

    def _all_names(self, kind: Kind, namespace: str) -> frozenset[str]:
        """As `_names`, in the first version of *kind* that is served."""
        *preferred, last = kind.forms
        for form in preferred:
            with suppress(NotFoundError):
                return self._names(form, namespace)
        return self._names(last, namespace)

    def _names(self, kind: Kind, namespace: str) -> frozenset[str]:
        """Names of all objects there; raises `ApiError` also if one cannot be identified."""
        path = collection_path(kind, namespace)
        names: set[str] = set()
        token = ""
        while True:
            query = {"limit": str(self._page_size)} | ({"continue": token} if token else {})
            page = wire.page(kind, f"GET {path}", self._api.get(path, query))
            heads = [item.head for item in page.items]
            if None in heads or page.token == token != "":
                raise ApiError(f"GET {path}: the list is not whole")
            names.update(head.name for head in heads if head is not None)
            if not page.token:
                return frozenset(names)
            token = page.token
