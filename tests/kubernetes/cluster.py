"""A real Kubernetes cluster, with the methods that tests use to change its objects, its history and its processes."""

from __future__ import annotations

import base64
import json
import os
import subprocess
from collections.abc import Callable, Iterable
from contextlib import ExitStack, suppress
from http import HTTPStatus
from http.client import HTTPException
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event
from time import monotonic
from types import TracebackType
from typing import Any, Final, Self

from google.auth import jwt
from google.auth.crypt import ES256Signer

from tests.fakes.apiserver.kinds import NAMESPACE, Catalogue, Kind
from tests.fakes.apiserver.raw_client import MERGE, RawClient, Reply
from tests.kubernetes.certificates import Certificates
from tests.kubernetes.kinds import BUILT_IN, OF_THE_CHART, THING, build_crd
from tests.kubernetes.servers import ISSUER, Servers
from tests.required_programs import KUBERNETES, require_programs

Json = dict[str, Any]

OLDEST, *_, NEWEST = sorted(KUBERNETES)
_NO_OBJECT: Final = base64.b64encode(b"/no-object").decode()
_CRDS: Final = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_LEEWAY_S: Final = 60
"""For so much longer than it says the API server accepts a token."""
_WITHOUT_STREAMS: Final = ("--feature-gates=WatchList=false",)
_HANGS_S: Final = 600.0
_NEVER_SET: Final = Event()


class _Administrator(RawClient):
    """Repeats a request until the server has initialized what it needs.

    That is the storage of a kind after its CRD was created, and the addresses of Services after a start.
    """

    def send(self, *args: Any, **options: Any) -> Reply:  # noqa: ANN401 - as RawClient
        while _is_initializing(reply := super().send(*args, **options)):
            _NEVER_SET.wait(0.1)
        return reply


def _is_initializing(reply: Reply) -> bool:
    is_full = reply.code == HTTPStatus.INTERNAL_SERVER_ERROR and "range is full" in str(reply.body)
    return reply.code == HTTPStatus.TOO_MANY_REQUESTS or is_full


class Cluster:
    """A real Kubernetes cluster without nodes, which runs from `__enter__` to `__exit__`.

    The methods change objects through the API. Unlike with the fake, the server therefore chooses uid, creation time
    and generation, `put` of an object with a status makes two changes, and `put` of an unchanged object makes no event.

    Attributes:
        catalogue: the kinds that the server serves and `put` knows.
        raw_client: an HTTP client of the administrator.
        streams_lists: whether a list can be read by a watch; not in the oldest version, as in versions before it.
    """

    raw_client: RawClient
    _servers: Servers
    _folder: Path

    def __init__(self, minor: str = NEWEST, *, etcd: str = "") -> None:
        """Require the programs of the version *minor*. *etcd* is the program of another etcd."""
        programs = ("kube-apiserver", "kube-controller-manager", "kubectl")
        self._etcd = etcd or f"etcd-{minor}"
        require_programs("a real cluster", *(f"{name}-{minor}" for name in programs), self._etcd, "openssl")
        self._minor = minor
        self.streams_lists = minor != OLDEST
        self.catalogue = Catalogue(BUILT_IN)
        self._namespaces: set[str] = set()
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        """Start the cluster and register the CRDs of the chart and that of `THING`."""
        with ExitStack() as opened:
            self._folder = Path(opened.enter_context(TemporaryDirectory(prefix="cluster")))
            flags = () if self.streams_lists else _WITHOUT_STREAMS
            self._servers = Servers(self._minor, self._folder, etcd=self._etcd, flags=flags)
            opened.callback(self._servers.close)
            self.raw_client = _Administrator(self, self._servers.certificates.build_client_context())
            self.start()
            for kind in (*OF_THE_CHART, THING):
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
    def certificates(self) -> Certificates:
        return self._servers.certificates

    @property
    def version(self) -> int:
        return self._servers.etcd.read_revision()

    @property
    def is_running(self) -> bool:
        return self._servers.is_running

    def kubeconfig(self, path: Path, *, token_file: Path | None = None, namespace: str = "default") -> Path:
        """Write a kubeconfig with one context `test` to *path*, and return *path*.

        The user is the administrator, or who has the ServiceAccount token in *token_file*.
        """
        return self._servers.kubeconfig(path, token_file=token_file, namespace=namespace)

    def kubectl(self, *args: str, stdin: str = "", code: int = 0) -> str:
        """Run kubectl as the administrator, check its exit code, and return its output and error output."""
        where = [f"--kubeconfig={self._folder / 'kubeconfig'}", f"--cache-dir={self._folder / 'cache'}"]
        done = subprocess.run(
            [f"kubectl-{self._minor}", *where, *args],
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
            timeout=_HANGS_S,
            env=os.environ | {"KUBECTL_KUBERC": "false"},
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    def until(self, condition: Callable[[], object]) -> None:
        end_s = monotonic() + _HANGS_S
        while not condition():
            assert monotonic() < end_s, condition
            _NEVER_SET.wait(0.05)

    # Objects

    def put(self, obj: Json) -> Json:
        """Create or replace an object with its status, and return it as the server stored it.

        The default namespace of a namespaced object is `default`. A namespace that does not exist is created.

        Raises:
            KeyError: the server does not serve the object's kind.
            RuntimeError: the server refused the request.
        """
        kind = self.catalogue.find_by_object(obj)
        metadata = {"namespace": "default"} | obj["metadata"] if kind.namespaced else dict(obj["metadata"])
        namespace, name = metadata.get("namespace", ""), metadata["name"]
        if kind.namespaced or kind is NAMESPACE:
            self.create_namespace(namespace or name)
        path = _build_path(kind, namespace)
        old = self.get(kind, namespace, name)
        if old is None:
            stored = self._write("POST", path, obj | {"metadata": metadata})
        else:
            metadata |= {key: old["metadata"][key] for key in ("uid", "resourceVersion")}
            stored = self._write("PUT", f"{path}/{name}", obj | {"metadata": metadata})
        if kind.status and stored.get("status") != obj.get("status"):
            rest = {key: value for key, value in stored.items() if key != "status"}
            metadata = {key: value for key, value in stored["metadata"].items() if key != "resourceVersion"}
            if not kind.custom:  # controllers may have changed the object since
                rest["metadata"] = metadata
            status = {"status": obj["status"]} if "status" in obj else {}
            stored = self._write("PUT", f"{path}/{name}/status", rest | status)
        return stored

    def put_all(self, objects: Iterable[Json]) -> None:
        for obj in objects:
            self.put(obj)

    def get(self, kind: str | Kind, namespace: str, name: str) -> Json | None:
        """Return a stored object, or None if it does not exist. Use namespace "" for cluster-scoped kinds."""
        reply = self.raw_client.get(f"{_build_path(self._find_kind(kind), namespace)}/{name}")
        return None if reply.code == 404 else _check_success(reply)

    def objects(self, kind: str | Kind) -> list[Json]:
        return list(_check_success(self.raw_client.get(self._find_kind(kind).path))["items"])

    def delete(self, kind: str | Kind, namespace: str, name: str) -> None:
        """Delete an object. Finalizers are removed first."""
        path = f"{_build_path(self._find_kind(kind), namespace)}/{name}"
        reply = self.raw_client.send("DELETE", path)
        if reply.code == 404:
            raise KeyError(path)
        if _check_success(reply)["kind"] != "Status":  # the object has finalizers, so it is not deleted yet
            reply = self.raw_client.send("PATCH", path, {"metadata": {"finalizers": None}}, content_type=MERGE)
            if reply.code != 404:  # one without finalizers, as the API server answers for some kinds
                _check_success(reply)

    def write(self, values: dict[str, str]) -> None:
        """Store many objects in etcd, as `Etcd.write` does, within seconds and without a check by the API server."""
        self._servers.etcd.write(values, at_once=100)

    def create_namespace(self, name: str) -> None:
        """Create a namespace if it does not exist, and wait until the controllers have filled it."""
        if name in self._namespaces:
            return
        obj = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
        reply = self.raw_client.send("POST", NAMESPACE.path, obj)
        if reply.code != 409:
            _check_success(reply)
        made = ("/serviceaccounts/default", "/configmaps/kube-root-ca.crt")
        self.until(lambda: not any(self._is_missing(f"{NAMESPACE.path}/{name}{path}") for path in made))
        self._namespaces.add(name)

    def delete_namespace(self, name: str) -> None:
        """Delete a namespace, if it exists. Do not wait for the controllers, which do so after its objects are gone."""
        self._namespaces.discard(name)
        reply = self.raw_client.send("DELETE", f"{NAMESPACE.path}/{name}")
        if reply.code != 404:
            _check_success(reply)

    def _write(self, method: str, path: str, obj: Json) -> Json:
        return _check_success(self.raw_client.send(method, path, obj))

    # Access

    def create_token(self, namespace: str, account: str, **spec: object) -> str:
        """Return a token of a ServiceAccount, by default for an hour. *spec* is that of the TokenRequest."""
        path = f"{NAMESPACE.path}/{namespace}/serviceaccounts/{account}/token"
        request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": spec}
        return str(self._write("POST", path, request)["status"]["token"])

    def sign_token(self, namespace: str, account: str, *, until_s: float) -> str:
        """Return a token that is valid until the Unix time *until_s*, which may be sooner than one can request."""
        path = f"{NAMESPACE.path}/{namespace}/serviceaccounts/{account}"
        owner = {"name": account, "uid": _check_success(self.raw_client.get(path))["metadata"]["uid"]}
        claims = {
            "iss": ISSUER,
            "aud": [ISSUER],
            "exp": int(until_s) - _LEEWAY_S,
            "sub": f"system:serviceaccount:{namespace}:{account}",
            "kubernetes.io": {"namespace": namespace, "serviceaccount": owner},
        }
        signer = ES256Signer.from_string(self._servers.accounts.key.read_bytes())
        return bytes(jwt.encode(signer, claims)).decode()

    def read_audit_log(self) -> list[Json]:
        """Return the requests that were made with ServiceAccount tokens; a watch once it has ended."""
        return [json.loads(line) for line in self._servers.audit_log.read_text(encoding="utf-8").splitlines()]

    # Kinds

    def register(self, kind: Kind, definition: Json | None = None) -> None:
        """Create a CRD and wait until the server serves *kind*. *definition* defaults to `build_crd`."""
        self._write("POST", _CRDS, definition or build_crd(kind))
        self._servers.wait_until(lambda: self._is_served(kind.path), f"list of {kind.resource}")
        self.catalogue.register(kind)

    def unregister(self, kind: str | Kind) -> None:
        """Delete the CRD of *kind* and all its objects, even those with finalizers, for which it would wait."""
        found = self._find_kind(kind)
        for metadata in (obj["metadata"] for obj in self.objects(found)):
            if "finalizers" in metadata:
                self.delete(found, metadata.get("namespace", ""), metadata["name"])
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
        paths = ["/readyz", *(kind.path for kind in self.catalogue.list_served())]
        self._servers.start(lambda: all(map(self._is_served, paths)))

    def kill(self) -> None:
        """Kill the API server and the controllers: cut all connections, and refuse new ones until `start`."""
        self._servers.kill()

    def restart(self, *, new_history: bool = True, keep: bool = True) -> None:
        """Kill the server if it is running, and start it.

        With *new_history*, resourceVersions begin again at low numbers. *keep* keeps the objects; otherwise all are
        deleted but the CRDs, and the server makes those of an empty cluster.
        """
        self.kill()
        if new_history:
            self._servers.replace_etcd(keep=keep)
            self._namespaces.clear()
        self.start()

    def roll(self) -> None:
        """Replace the API server by another one without a gap, as a rolling restart does."""
        self._servers.roll(lambda: self._is_served("/readyz"))

    def take_snapshot(self) -> Path:
        """Return a copy of etcd's data. The server is restarted for that."""
        self.kill()
        copy = self._servers.copy_data()
        self.start()
        return copy

    def restore_snapshot(self, copy: Path) -> None:
        """Start the server again with the objects and the resourceVersion of *copy*."""
        self.kill()
        self._servers.restore_data(copy)
        self._namespaces.clear()
        self.start()

    def _is_served(self, path: str) -> bool:
        with suppress(OSError, HTTPException):
            return self.raw_client.get(path, limit=1).code == 200
        return False

    def _is_missing(self, path: str) -> bool:
        return self.raw_client.get(path).code == 404

    def _find_kind(self, kind: str | Kind) -> Kind:
        return kind if isinstance(kind, Kind) else self.catalogue.find_by_name(kind)


def _build_path(kind: Kind, namespace: str) -> str:
    base, _, plural = kind.path.rpartition("/")
    return f"{base}/namespaces/{namespace}/{plural}" if namespace else kind.path


def _check_success(reply: Reply) -> Json:
    if reply.code >= 300:
        raise RuntimeError(f"the API server answered {reply.code}: {reply.body}")
    return dict(reply.body)
