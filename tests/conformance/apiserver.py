"""What the conformance suite of the Kubernetes API needs of a server: a namespace of its own to read and write in."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import Any, Final, Protocol

from tests.fakes.apiserver.kinds import Kind
from tests.fakes.apiserver.probe import APPLY, Probe, Reply

Json = dict[str, Any]

ALL: Final = "/apis/networking.k8s.io/v1/ingresses"
LEASES: Final = "/apis/coordination.k8s.io/v1/namespaces/shop/leases"
_NUMBERS: Final = count(1)


class Server(Protocol):
    """What the fake and the real machinery can both be told, on top of what they answer over HTTP."""

    @property
    def url(self) -> str:
        """Where it listens."""
        ...

    @property
    def version(self) -> int:
        """The version of the last change."""
        ...

    def put(self, obj: Json) -> Json:
        """Create or replace an object, status included; gives it as stored."""
        ...

    def get(self, kind: str | Kind, namespace: str, name: str) -> Json | None:
        """Give an object as stored, None if it is not there."""
        ...

    def objects(self, kind: str | Kind) -> list[Json]:
        """List all objects of a kind as stored, in the order of lists."""
        ...

    def delete(self, kind: str | Kind, namespace: str, name: str) -> None:
        """Remove an object, finalizers or not."""
        ...

    def register(self, kind: Kind) -> None:
        """Serve *kind* from now on."""
        ...

    def unregister(self, kind: str | Kind) -> None:
        """Serve a kind no longer, and delete its objects."""
        ...

    def expire(self) -> None:
        """Forget history; may cut open watches."""
        ...

    def start(self) -> None:
        """Listen, on the same port as before."""
        ...

    def kill(self) -> None:
        """Cut all connections and refuse new ones."""
        ...

    def restart(self, *, new_history: bool = True, keep: bool = True) -> None:
        """Kill it and start it, with resourceVersions that begin again."""
        ...


@dataclass(frozen=True, kw_only=True)
class Rig:
    """A server, and a namespace that no other test uses."""

    server: Server
    probe: Probe
    namespace: str

    @classmethod
    def of(cls, server: Server, probe: Probe) -> Rig:
        """Take the next namespace."""
        return cls(server=server, probe=probe, namespace=f"shop-{next(_NUMBERS)}")

    @property
    def path(self) -> str:
        """Where its Ingresses are."""
        return ALL.replace("/ingresses", f"/namespaces/{self.namespace}/ingresses")

    def create(self, name: str, **more: Any) -> Json:  # noqa: ANN401 - any JSON
        """Create an Ingress, which must succeed."""
        return good(self.probe.ask("POST", self.path, ingress(name, **more)))

    def patch(self, name: str, change: object, content_type: str) -> Reply:
        """Patch an Ingress."""
        return self.probe.ask("PATCH", f"{self.path}/{name}", change, content_type=content_type)

    def apply(self, manager: str, name: str, *, force: bool = False, **spec: Any) -> Reply:  # noqa: ANN401 - any JSON
        """Apply an Ingress server-side."""
        query = f"fieldManager={manager}" + ("&force=true" if force else "")
        return self.patch(f"{name}?{query}", ingress(name, spec=spec), APPLY)

    def frames(self, path: str, count: int, **query: object) -> list[tuple[str, str]]:
        """The first frames of a watch: type, and name or version; `END` if it ends before."""
        with self.probe.watch(path, **query) as stream:
            return stream.brief(count)


def ingress(name: str, *, spec: object = None, status: object = None, **metadata: Any) -> Json:  # noqa: ANN401 - any JSON
    """Make an Ingress."""
    body = {"spec": spec if spec is not None else {"ingressClassName": "nginx"}}
    body |= {"status": status} if status is not None else {}
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "Ingress",
        "metadata": {"name": name, **metadata},
        **body,
    }


def good(reply: Reply) -> Json:
    """Give what a request that must succeed was answered."""
    assert reply.code in {200, 201}, reply
    return dict(reply.body)
