"""A real Kubernetes API server, with the methods that tests use to change its objects and its history."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from contextlib import ExitStack, suppress
from http.client import HTTPException
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any, Final, Self

from tests.apimachinery.kinds import KINDS, build_crd
from tests.apimachinery.servers import Servers
from tests.fakes.apiserver.kinds import Catalogue, Kind
from tests.fakes.apiserver.raw_client import MERGE, RawClient, Reply
from tests.required_programs import require_programs

Json = dict[str, Any]

_NO_OBJECT: Final = base64.b64encode(b"/no-object").decode()
_CRDS: Final = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


class ApiMachinery:
    """A real Kubernetes API server on a port of its own, which runs from `__enter__` to `__exit__`.

    The methods change objects through the API. Unlike with the fake, the server therefore chooses uid, creation time
    and generation, `put` of an object with a status makes two changes, and `put` of an unchanged object makes no event.

    Attributes:
        catalogue: the kinds that the server serves.
        raw_client: an HTTP client of the server.
    """

    raw_client: RawClient
    _servers: Servers

    def __init__(self, *, kinds: Iterable[Kind] = KINDS) -> None:
        require_programs("the real API machinery", "etcd", "apiextensions-apiserver", "openssl")
        self.catalogue = Catalogue(())
        self._kinds = tuple(kinds)
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        """Start the server and register its kinds.

        Raises:
            RuntimeError: etcd or the API server did not start.
        """
        with ExitStack() as opened:
            folder = opened.enter_context(TemporaryDirectory(prefix="apimachinery"))
            self._servers = Servers(Path(folder))
            opened.callback(self._servers.close)
            self.raw_client = RawClient(self, self._servers.certificates.build_client_context())
            self.start()
            for kind in self._kinds:
                self.register(kind)
            self._stack = opened.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    @property
    def url(self) -> str:
        """The URL of the server, unchanged while the server is stopped."""
        return self._servers.url

    @property
    def version(self) -> int:
        """The resourceVersion of the last change."""
        return self._servers.etcd.read_revision()

    def kubeconfig(self, path: Path) -> Path:
        """Write a kubeconfig for the administrator to *path*, with one context `test`, and return *path*."""
        return self._servers.kubeconfig(path)

    # Objects

    def put(self, obj: Json) -> Json:
        """Create or replace an object with its status, and return it as the server stored it.

        The default namespace of a namespaced object is `default`.

        Raises:
            KeyError: the server does not serve the object's kind.
            RuntimeError: the server refused the request.
        """
        kind = self.catalogue.find_by_object(obj)
        metadata = {"namespace": "default"} | obj["metadata"] if kind.namespaced else dict(obj["metadata"])
        namespace, name = metadata.get("namespace", ""), metadata["name"]
        path = _build_path(kind, namespace)
        old = self.get(kind, namespace, name)
        if old is None:
            stored = self._write("POST", path, obj | {"metadata": metadata})
        else:
            metadata["resourceVersion"] = old["metadata"]["resourceVersion"]
            stored = self._write("PUT", f"{path}/{name}", obj | {"metadata": metadata})
        if kind.status and stored.get("status") != obj.get("status"):
            status = {"status": obj["status"]} if "status" in obj else {}
            rest = {key: value for key, value in stored.items() if key != "status"}
            stored = self._write("PUT", f"{path}/{name}/status", rest | status)
        return stored

    def put_all(self, objects: Iterable[Json]) -> None:
        """Create or replace many objects."""
        for obj in objects:
            self.put(obj)

    def get(self, kind: str | Kind, namespace: str, name: str) -> Json | None:
        """Return a stored object, or None if it does not exist. Use namespace "" for cluster-scoped kinds."""
        reply = self.raw_client.get(f"{_build_path(self._find_kind(kind), namespace)}/{name}")
        return None if reply.code == 404 else _check_success(reply)

    def objects(self, kind: str | Kind) -> list[Json]:
        """Return all objects of *kind* as the server stores them, sorted by key."""
        return list(_check_success(self.raw_client.get(self._find_kind(kind).path))["items"])

    def delete(self, kind: str | Kind, namespace: str, name: str) -> None:
        """Delete an object. Finalizers are removed first.

        Raises:
            KeyError: the object does not exist.
        """
        path = f"{_build_path(self._find_kind(kind), namespace)}/{name}"
        reply = self.raw_client.send("DELETE", path)
        if reply.code == 404:
            raise KeyError(path)
        if _check_success(reply)["kind"] != "Status":  # the object has finalizers, so it is not deleted yet
            _check_success(self.raw_client.send("PATCH", path, {"metadata": {"finalizers": None}}, content_type=MERGE))

    def _write(self, method: str, path: str, obj: Json) -> Json:
        return _check_success(self.raw_client.send(method, path, obj))

    # Kinds

    def register(self, kind: Kind, definition: Json | None = None) -> None:
        """Create a CRD and wait until the server serves *kind*. *definition* defaults to a CRD that accepts any object.

        Raises:
            RuntimeError: the server refused the definition.
        """
        self._write("POST", _CRDS, definition or build_crd(kind))
        self._servers.wait_until(lambda: self._is_served(kind.path), f"list of {kind.resource}")
        self.catalogue.register(kind)

    def unregister(self, kind: str | Kind) -> None:
        """Delete the CRD of *kind* and all its objects."""
        found = self._find_kind(kind)
        path = f"{_CRDS}/{found.resource}"
        _check_success(self.raw_client.send("DELETE", path))
        self._servers.wait_until(
            lambda: self._is_missing(path) and self._is_missing(found.path), f"end of {found.resource}"
        )
        self.catalogue.unregister(found)

    # History, start and stop

    def expire(self) -> None:
        """Delete the history, so that every resourceVersion and continue token returned so far is too old.

        This restarts the server, so open watches are cut.
        """
        self._servers.forget()
        self.restart(new_history=False)

    def advance(self, versions: int) -> None:
        """Increase the resourceVersion by *versions* without changing an object."""
        for _ in range(versions):
            self._servers.etcd.write({_NO_OBJECT: ""})

    def start(self) -> None:
        """Start the server on the same port with etcd's data, and wait until it serves all kinds."""
        paths = [_CRDS, *(kind.path for kind in self.catalogue.list_served())]
        self._servers.start(lambda: all(map(self._is_served, paths)))

    def kill(self) -> None:
        """Cut all connections, and refuse new ones until `start` or `restart`."""
        self._servers.kill()

    def restart(self, *, new_history: bool = True, keep: bool = True) -> None:
        """Kill the server if it is running, and start it.

        With *new_history*, resourceVersions begin again at low numbers. *keep* keeps the objects; otherwise all are
        deleted.
        """
        self.kill()
        if new_history:
            self._servers.replace_etcd(keep=keep)
        self.start()

    def _is_served(self, path: str) -> bool:
        """Return whether the server serves *path*. `/readyz` is of no use, since it fails without Services."""
        with suppress(OSError, HTTPException):
            return self.raw_client.get(path, limit=1).code == 200
        return False

    def _is_missing(self, path: str) -> bool:
        return self.raw_client.get(path).code == 404

    def _find_kind(self, kind: str | Kind) -> Kind:
        return kind if isinstance(kind, Kind) else self.catalogue.find_by_name(kind)


def _build_path(kind: Kind, namespace: str) -> str:
    return f"/apis/{kind.api_version}/namespaces/{namespace}/{kind.plural}" if namespace else kind.path


def _check_success(reply: Reply) -> Json:
    if reply.code >= 300:
        raise RuntimeError(f"the API server answered {reply.code}: {reply.body}")
    return dict(reply.body)
