"""The fake Kubernetes API server, with the methods that tests use to change its objects and its behaviour."""

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

from tests.fakes.apiserver import ownership
from tests.fakes.apiserver.access import ANY, USER, Access
from tests.fakes.apiserver.answers import Answer
from tests.fakes.apiserver.api import Api
from tests.fakes.apiserver.arming import Faults
from tests.fakes.apiserver.kinds import KINDS, Catalogue, Kind
from tests.fakes.apiserver.log import Log
from tests.fakes.apiserver.ownership import Manager
from tests.fakes.apiserver.requests import parse
from tests.fakes.apiserver.store import Json, Store
from tests.fakes.apiserver.watches import Order
from tests.fakes.service import certificates
from tests.fakes.service.listener import HOST, Listener, Request


class ApiServer:
    """A fake Kubernetes API server on a port of its own, which runs from `__enter__` to `__exit__`.

    Kinds are given by their name (`Service`) or as a `Kind`. The methods that change objects bypass access control,
    faults and the log. Watches report these changes as any other.

    Attributes:
        api: its `watch_list`, `gone_as_status` and `bookmark_every_s` can be set at any time.
        access: its `token` can be set at any time.
        ca: the CA certificate in PEM; empty without TLS.
    """

    def __init__(self, *, kinds: Iterable[Kind] = KINDS, tls: bool = False, token: str | None = None) -> None:
        self.log = Log()
        self.faults = Faults()
        self.access = Access(token)
        self.catalogue = Catalogue(kinds)
        self.api = Api(store=Store(), catalogue=self.catalogue, access=self.access)
        self.ca = b""
        self._uses_tls = tls
        self._port = 0
        self._stack = ExitStack()
        self._listener: Listener | None = None
        self._context: ssl.SSLContext | None = None

    def __enter__(self) -> Self:
        if self._uses_tls:
            folder = self._stack.enter_context(TemporaryDirectory())
            self._context, self.ca = certificates.create_certificate(Path(folder))
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()
        self._stack.close()

    @property
    def url(self) -> str:
        """The URL of the server, unchanged while the server is stopped."""
        return f"{'https' if self._uses_tls else 'http'}://{HOST}:{self._port}"

    @property
    def version(self) -> int:
        return self.api.store.version

    def kubeconfig(self, path: Path) -> Path:
        """Write a kubeconfig for the server to *path*, with one context `test`, and return *path*."""
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
        """Create or replace an object with its status, and return it as stored.

        Metadata that a server sets, such as uid and creationTimestamp, is taken from *obj* if present. The default
        namespace of a namespaced object is `default`.
        """
        kind = self.catalogue.find_by_object(obj)
        with self.api.store.lock:
            key, full = self._complete(kind, obj)
            return self.api.store.put(kind, key, full).decode(kind)

    def put_all(self, objects: Iterable[Json]) -> None:
        """Create or replace many objects, faster than by `put`."""
        by_kind: dict[str, list[Json]] = {}
        for obj in objects:
            by_kind.setdefault(obj["kind"], []).append(obj)
        for members in by_kind.values():
            kind = self.catalogue.find_by_object(members[0])
            with self.api.store.lock:
                self.api.store.load(kind, (self._complete(kind, obj) for obj in members))

    def get(self, kind: str | Kind, namespace: str, name: str) -> Json | None:
        """Return a stored object, or None if it does not exist. Use namespace "" for cluster-scoped kinds."""
        found = self._find_kind(kind)
        with self.api.store.lock:
            stored = self.api.store.collection(found).objects.get(f"{namespace}/{name}" if namespace else name)
        return stored.decode(found) if stored else None

    def objects(self, kind: str | Kind) -> list[Json]:
        found = self._find_kind(kind)
        with self.api.store.lock:
            collection = self.api.store.collection(found)
            return [collection.objects[key].decode(found) for key in collection.keys]

    def delete(self, kind: str | Kind, namespace: str, name: str) -> None:
        """Delete an object, even if it has finalizers."""
        with self.api.store.lock:
            self.api.store.remove(self._find_kind(kind), f"{namespace}/{name}" if namespace else name)

    def _complete(self, kind: Kind, obj: Json) -> tuple[str, Json]:
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
            full = ownership.set_managed_fields(full, ownership.own_created(manager, obj))
        return key, self.api.writes.set_server_metadata(kind, full)

    # Kinds and access

    def register(self, kind: Kind) -> None:
        self.catalogue.register(kind)

    def unregister(self, kind: str | Kind, *, deleting: bool = True) -> None:
        """Stop serving *kind* and end its watches.

        With *deleting*, its objects are deleted first and watches report this, as after a CRD was deleted. Otherwise
        the objects are kept, as if the CRD no longer served this version.
        """
        found = self._find_kind(kind)
        with self.api.store.lock:
            for key in list(self.api.store.collection(found).keys) if deleting else []:
                self.api.store.remove(found, key)
            self.catalogue.unregister(found)
            self.api.order(Order.END, found)

    def forbid(self, verb: str, resource: str, namespace: str = ANY) -> None:
        """Refuse such requests with status 403 from now on. `*` is any value; namespace "" is all namespaces."""
        self.access.forbid(verb, resource, namespace)

    def permit(self, verb: str, resource: str, namespace: str = ANY) -> None:
        self.access.permit(verb, resource, namespace)

    # Watches and history

    def send_bookmarks(self, kind: str | Kind | None = None) -> None:
        """Send a bookmark to all open watches that allow bookmarks, or to those of *kind*."""
        self.api.order(Order.BOOKMARK, self._find_kind(kind) if kind else None)

    def end_watches(self, order: Order = Order.END, kind: str | Kind | None = None) -> None:
        """End open watches as *order* states: cleanly, by cutting connections, or by an ERROR event with code 410."""
        self.api.order(order, self._find_kind(kind) if kind else None)

    def expire(self) -> None:
        """Delete the history, so that every resourceVersion and continue token returned so far is too old."""
        with self.api.store.lock:
            self.api.store.forget()

    # Start and stop

    def start(self) -> None:
        """Start to listen, on the same port as before if there was one."""
        self._listener = Listener(self._respond, port=self._port, tls=self._context)
        self._port = self._listener.port

    def kill(self) -> None:
        """Cut all connections, and refuse new ones until `start` or `restart`. Armed faults are removed."""
        if self._listener is not None:
            self.faults.clear()
            self.api.order(Order.CUT)
            self._listener.close()
            self._listener = None

    def restart(self, *, new_history: bool = True, keep: bool = True) -> None:
        """Kill the server if it is running, and start it.

        With *new_history*, resourceVersions begin again at lower numbers, as after etcd was restored from a backup.
        *keep* keeps the objects; otherwise all are deleted.
        """
        self.kill()
        if new_history:
            with self.api.store.lock:
                self.api.store.begin_new_history(keep=keep)
        self.start()

    def swap(self, objects: Iterable[Json], order: Order | None = Order.CUT) -> None:
        """Replace the cluster behind this address by another one with *objects*. Open watches end as *order* states.

        Its objects have older versions than any returned before, and its current version is newer.
        """
        with self.api.store.lock:
            version = self.version
            self.api.store.swap()
            self.put_all(objects)
            self.api.store.version = version + 1000
            if order is not None:
                self.api.order(order)

    def _find_kind(self, kind: str | Kind) -> Kind:
        return kind if isinstance(kind, Kind) else self.catalogue.find_by_name(kind)

    def _respond(self, received: Request) -> Answer:
        request = parse(received.method, received.target, received.headers, received.body)
        self.log.add(request)
        try:
            fault = self.faults.take(request)
            return fault.before() or fault.after(self.api.answer(request))
        finally:
            self.log.record_answer(request)
