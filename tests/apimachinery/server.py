"""The server as tests use it."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from contextlib import ExitStack, suppress
from http.client import HTTPException
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any, Final, Self

from tests.apimachinery.kinds import KINDS, crd
from tests.apimachinery.programs import Programs
from tests.apimachinery.servers import Servers
from tests.fakes.apiserver.kinds import Catalogue, Kind
from tests.fakes.apiserver.probe import MERGE, Probe, Reply

Json = dict[str, Any]

_NO_OBJECT: Final = base64.b64encode(b"/no-object").decode()
_CRDS: Final = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


class ApiMachinery:
    """A Kubernetes API server on a port of its own, from `__enter__` to `__exit__`.

    What its methods do to objects, they do through its API. So, other than with the fake, an object's uid, age and
    generation are the server's own, an object put with its status arrives in two steps, and one put as it is
    already makes no event.

    Attributes:
        catalogue: the kinds that it serves.
        probe: a plain client of it.
    """

    probe: Probe
    _servers: Servers

    def __init__(self, programs: Programs, *, kinds: Iterable[Kind] = KINDS) -> None:
        self.catalogue = Catalogue(())
        self._programs = programs
        self._kinds = tuple(kinds)
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        """Start it, and have its kinds served.

        Raises:
            RuntimeError: One of its programs did not start.
            FileNotFoundError: There is no openssl command.
        """
        with ExitStack() as opened:
            folder = opened.enter_context(TemporaryDirectory(prefix="apimachinery"))
            self._servers = Servers(self._programs, Path(folder))
            opened.callback(self._servers.close)
            self.probe = Probe(self, self._servers.certificates.context())
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
        """Where it listens, or did before it was killed."""
        return self._servers.url

    @property
    def version(self) -> int:
        """The version of the last change."""
        return self._servers.etcd.revision()

    def kubeconfig(self, path: Path) -> Path:
        """Write a kubeconfig for its administrator, with one context, called `test`; gives *path*."""
        return self._servers.kubeconfig(path)

    # Objects

    def put(self, obj: Json) -> Json:
        """Create or replace an object, status included; gives it as stored.

        The namespace of a namespaced object is `default` if not stated.

        Raises:
            KeyError: Its kind is not served.
            RuntimeError: The server refused.
        """
        kind = self.catalogue.of_object(obj)
        metadata = {"namespace": "default"} | obj["metadata"] if kind.namespaced else dict(obj["metadata"])
        namespace, name = metadata.get("namespace", ""), metadata["name"]
        path = _path(kind, namespace)
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
        """Put many objects."""
        for obj in objects:
            self.put(obj)

    def get(self, kind: str | Kind, namespace: str, name: str) -> Json | None:
        """Give an object as stored, None if it is not there; the namespace of cluster-wide kinds is empty."""
        reply = self.probe.get(f"{_path(self._kind(kind), namespace)}/{name}")
        return None if reply.code == 404 else _good(reply)

    def objects(self, kind: str | Kind) -> list[Json]:
        """List all objects of a kind as stored, in the order of lists."""
        return list(_good(self.probe.get(self._kind(kind).path))["items"])

    def delete(self, kind: str | Kind, namespace: str, name: str) -> None:
        """Remove an object, finalizers or not.

        Raises:
            KeyError: It is not there.
        """
        path = f"{_path(self._kind(kind), namespace)}/{name}"
        reply = self.probe.ask("DELETE", path)
        if reply.code == 404:
            raise KeyError(path)
        if _good(reply)["kind"] != "Status":  # finalizers keep it
            _good(self.probe.ask("PATCH", path, {"metadata": {"finalizers": None}}, content_type=MERGE))

    def _write(self, method: str, path: str, obj: Json) -> Json:
        return _good(self.probe.ask(method, path, obj))

    # Kinds

    def register(self, kind: Kind, definition: Json | None = None) -> None:
        """Serve *kind* from now on, by a *definition* of its own if it is not to take any object.

        Raises:
            RuntimeError: The server refused the definition.
        """
        self._write("POST", _CRDS, definition or crd(kind))
        self._servers.wait_until(lambda: self._serves(kind.path), f"list of {kind.resource}")
        self.catalogue.register(kind)

    def unregister(self, kind: str | Kind) -> None:
        """Delete the CRD of a kind, with all its objects."""
        found = self._kind(kind)
        path = f"{_CRDS}/{found.resource}"
        _good(self.probe.ask("DELETE", path))
        self._servers.wait_until(lambda: self._lacks(path) and self._lacks(found.path), f"end of {found.resource}")
        self.catalogue.unregister(found)

    # History, life and death

    def expire(self) -> None:
        """Forget history: every resourceVersion and continue token given out until now is too old.

        The server restarts for that, so open watches are cut.
        """
        self._servers.forget()
        self.restart(new_history=False)

    def advance(self, versions: int) -> None:
        """Let so many versions pass in which no object changes."""
        for _ in range(versions):
            self._servers.etcd.write({_NO_OBJECT: ""})

    def start(self) -> None:
        """Listen, on the same port as before, with the data that etcd has; waits until all kinds are served."""
        paths = [_CRDS, *(kind.path for kind in self.catalogue.served())]
        self._servers.start(lambda: all(map(self._serves, paths)))

    def kill(self) -> None:
        """Cut all connections and refuse new ones, until `start` or `restart`."""
        self._servers.kill()

    def restart(self, *, new_history: bool = True, keep: bool = True) -> None:
        """Kill it, if it lives, and start it.

        A new history has resourceVersions that begin again, and the objects as they were, or none unless *keep*.
        """
        self.kill()
        if new_history:
            self._servers.replace_etcd(keep=keep)
        self.start()

    def _serves(self, path: str) -> bool:
        """Tell whether *path* is served; `/readyz` would stay red, for there are no Services to look at."""
        with suppress(OSError, HTTPException):
            return self.probe.get(path, limit=1).code == 200
        return False

    def _lacks(self, path: str) -> bool:
        return self.probe.get(path).code == 404

    def _kind(self, kind: str | Kind) -> Kind:
        return kind if isinstance(kind, Kind) else self.catalogue.of(kind)


def _path(kind: Kind, namespace: str) -> str:
    return f"/apis/{kind.api_version}/namespaces/{namespace}/{kind.plural}" if namespace else kind.path


def _good(reply: Reply) -> Json:
    if reply.code >= 300:
        raise RuntimeError(f"the API server answered {reply.code}: {reply.body}")
    return dict(reply.body)
