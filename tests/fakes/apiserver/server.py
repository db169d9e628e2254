"""The server as tests use it."""

from __future__ import annotations

import base64
import json
import ssl
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Self

from tests.fakes.apiserver import certificates, ownership
from tests.fakes.apiserver.access import ANY, USER, Access
from tests.fakes.apiserver.answers import Answer
from tests.fakes.apiserver.api import Api
from tests.fakes.apiserver.arming import Faults
from tests.fakes.apiserver.kinds import KINDS, Catalogue, Kind
from tests.fakes.apiserver.listener import HOST, Listener
from tests.fakes.apiserver.log import Log
from tests.fakes.apiserver.ownership import Manager
from tests.fakes.apiserver.requests import Request
from tests.fakes.apiserver.store import Json, Store
from tests.fakes.apiserver.watches import Order


class ApiServer:
    """A Kubernetes API server on a port of its own, from `__enter__` to `__exit__`.

    Kinds are given by their name (`Service`) or as a `Kind`. What a test does to objects here goes around
    access control, faults and the log, and is seen by watches like any other change.

    Attributes:
        api: its modes, `watch_list`, `gone_as_status` and `bookmark_every_s`, may be set at any time.
        access: its `token` may be set at any time.
        ca: the CA in PEM, empty without TLS.
    """

    def __init__(self, *, kinds: Iterable[Kind] = KINDS, tls: bool = False, token: str | None = None) -> None:
        self.log = Log()
        self.faults = Faults()
        self.access = Access(token)
        self.catalogue = Catalogue(kinds)
        self.api = Api(store=Store(), catalogue=self.catalogue, access=self.access)
        self.ca = b""
        self._wants_tls = tls
        self._port = 0
        self._stack = ExitStack()
        self._listener: Listener | None = None
        self._context: ssl.SSLContext | None = None

    def __enter__(self) -> Self:
        if self._wants_tls:
            folder = self._stack.enter_context(TemporaryDirectory())
            self._context, self.ca = certificates.make(Path(folder))
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()
        self._stack.close()

    @property
    def url(self) -> str:
        """Where it listens, or did before it was killed."""
        return f"{'https' if self._wants_tls else 'http'}://{HOST}:{self._port}"

    @property
    def version(self) -> int:
        """The version of the last change."""
        return self.api.store.version

    def kubeconfig(self, path: Path) -> Path:
        """Write a kubeconfig for it, with one context, called `test`; gives *path*."""
        cluster = {"server": self.url} | (
            {"certificate-authority-data": base64.b64encode(self.ca).decode()} if self.ca else {}
        )
        user = {"token": self.access.token} if self.access.token is not None else {}
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "test", "cluster": cluster}],
            "users": [{"name": USER, "user": user}],
            "contexts": [{"name": "test", "context": {"cluster": "test", "user": USER}}],
            "current-context": "test",
        }
        path.write_text(json.dumps(config, indent=2), encoding="utf-8")  # JSON is YAML
        return path

    # Objects

    def put(self, obj: Json) -> Json:
        """Create or replace an object, status included; gives it as stored.

        Metadata that a server fills in is kept where *obj* states it, so that a test can choose uid and age.
        The namespace of a namespaced object is `default` if not stated.

        Raises:
            KeyError: Its kind is not served.
        """
        kind = self.catalogue.of_object(obj)
        with self.api.store.lock:
            key, full = self._settled(kind, obj)
            return self.api.store.put(kind, key, full).decode(kind)

    def put_all(self, objects: Iterable[Json]) -> None:
        """Put many objects, quickly.

        Raises:
            KeyError: A kind is not served.
        """
        by_kind: dict[str, list[Json]] = {}
        for obj in objects:
            by_kind.setdefault(obj["kind"], []).append(obj)
        for members in by_kind.values():
            kind = self.catalogue.of_object(members[0])
            with self.api.store.lock:
                self.api.store.load(kind, (self._settled(kind, obj) for obj in members))

    def get(self, kind: str | Kind, namespace: str, name: str) -> Json | None:
        """Give an object as stored, None if it is not there; the namespace of cluster-wide kinds is empty."""
        found = self._kind(kind)
        with self.api.store.lock:
            stored = self.api.store.collection(found).objects.get(f"{namespace}/{name}" if namespace else name)
        return stored.decode(found) if stored else None

    def objects(self, kind: str | Kind) -> list[Json]:
        """List all objects of a kind as stored, in the order of lists."""
        found = self._kind(kind)
        with self.api.store.lock:
            collection = self.api.store.collection(found)
            return [collection.objects[key].decode(found) for key in collection.keys]

    def delete(self, kind: str | Kind, namespace: str, name: str) -> None:
        """Remove an object, finalizers or not.

        Raises:
            KeyError: It is not there.
        """
        with self.api.store.lock:
            self.api.store.remove(self._kind(kind), f"{namespace}/{name}" if namespace else name)

    def _settled(self, kind: Kind, obj: Json) -> tuple[str, Json]:
        metadata = dict(obj["metadata"])
        if kind.namespaced:
            metadata.setdefault("namespace", "default")
        key = f"{metadata['namespace']}/{metadata['name']}" if kind.namespaced else metadata["name"]
        old = self.api.store.collection(kind).objects.get(key)
        if old is not None:
            before = old.decode(kind)["metadata"]
            metadata = {field: before[field] for field in ("uid", "creationTimestamp")} | metadata
        full = obj | {"metadata": metadata}
        if "managedFields" not in metadata:
            manager = Manager(name="test", operation="Update", api_version=kind.api_version)
            full = ownership.marked(full, ownership.created(manager, obj))
        return key, self.api.writes.stamped(kind, full)

    # Kinds and access

    def register(self, kind: Kind) -> None:
        """Serve *kind* from now on."""
        self.catalogue.register(kind)

    def unregister(self, kind: str | Kind, *, deleting: bool = True) -> None:
        """Serve a kind no longer: its watches end.

        Removing a CRD deletes its objects first, and watches see each of them deleted; a version that is merely
        not served any more (*deleting* false) keeps them.
        """
        found = self._kind(kind)
        with self.api.store.lock:
            for key in list(self.api.store.collection(found).keys) if deleting else []:
                self.api.store.remove(found, key)
            self.catalogue.unregister(found)
            self.api.order(Order.END, found)

    def forbid(self, verb: str, resource: str, namespace: str = ANY) -> None:
        """Answer 403 from now on; `*` is any, an empty namespace is a request over all of them."""
        self.access.forbid(verb, resource, namespace)

    def permit(self, verb: str, resource: str, namespace: str = ANY) -> None:
        """Undo `forbid` of the same arguments."""
        self.access.permit(verb, resource, namespace)

    # Watches and history

    def watching(self, kind: str | Kind) -> int:
        """Count the open watches of a kind."""
        found = self._kind(kind)
        with self.api.store.lock:
            return sum(watch.kind == found for watch in self.api.watches)

    def bookmark(self, kind: str | Kind | None = None) -> None:
        """Send a bookmark to open watches that allow it."""
        self.api.order(Order.BOOKMARK, self._kind(kind) if kind else None)

    def end_watches(self, order: Order = Order.END, kind: str | Kind | None = None) -> None:
        """End open watches: cleanly, by cutting their connections, or by an ERROR frame with code 410."""
        self.api.order(order, self._kind(kind) if kind else None)

    def expire(self) -> None:
        """Forget history: every resourceVersion and continue token given out until now is too old."""
        with self.api.store.lock:
            self.api.store.forget()

    # Life and death

    def start(self) -> None:
        """Listen, on the same port as before if there was one."""
        self._listener = Listener(self._respond, port=self._port, tls=self._context)
        self._port = self._listener.port

    def kill(self) -> None:
        """Cut all connections and refuse new ones, until `start` or `restart`. Armed faults are gone."""
        if self._listener is not None:
            self.faults.clear()
            self.api.order(Order.CUT)
            self._listener.close()
            self._listener = None

    def restart(self, *, new_history: bool = True, keep: bool = True) -> None:
        """Kill it, if it lives, and start it.

        A new history has lower resourceVersions, and the objects as they were, or none unless *keep*: what a
        restored or replaced etcd looks like from outside.
        """
        self.kill()
        if new_history:
            with self.api.store.lock:
                self.api.store.begin_anew(keep=keep)
        self.start()

    def _kind(self, kind: str | Kind) -> Kind:
        return kind if isinstance(kind, Kind) else self.catalogue.of(kind)

    def _respond(self, request: Request) -> Answer:
        self.log.add(request)
        armed = self.faults.take(request)
        if armed is None:
            return self.api.answer(request)
        return armed.before() or armed.after(self.api.answer(request))
