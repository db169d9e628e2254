"""What the conformance tests of the Kubernetes API need: a server, fake or real, and a namespace of its own."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import Any, Final, Protocol

from tests.fakes.apiserver.kinds import Kind
from tests.fakes.apiserver.raw_client import RawClient, Reply

Json = dict[str, Any]

ALL: Final = "/apis/acme.test/v1/things"
_NUMBERS: Final = count(1)


class Server(Protocol):
    """Methods that both the fake and the real API server have for tests, in addition to the HTTP API."""

    @property
    def url(self) -> str: ...

    @property
    def version(self) -> int:
        """The resourceVersion of the last change."""
        ...

    def put(self, obj: Json) -> Json:
        """Create or replace an object with its status, and return it as stored."""
        ...

    def get(self, kind: str | Kind, namespace: str, name: str) -> Json | None: ...

    def objects(self, kind: str | Kind) -> list[Json]: ...

    def delete(self, kind: str | Kind, namespace: str, name: str) -> None:
        """Delete an object, even if it has finalizers."""
        ...

    def register(self, kind: Kind) -> object: ...

    def unregister(self, kind: str | Kind) -> None:
        """Stop serving *kind* and delete its objects."""
        ...

    def expire(self) -> None:
        """Delete the history, so that old resourceVersions are refused. This may cut open watches."""
        ...

    def start(self) -> None:
        """Start the server on the same port as before."""
        ...

    def kill(self) -> None:
        """Cut all connections and refuse new ones."""
        ...

    def restart(self, *, new_history: bool = True, keep: bool = True) -> None:
        """Kill and start the server. With *new_history*, resourceVersions begin again; *keep* keeps the objects."""
        ...


@dataclass(frozen=True, kw_only=True)
class Rig:
    """An API server with its HTTP client, and a namespace that no other test uses."""

    server: Server
    raw_client: RawClient
    namespace: str

    @classmethod
    def with_new_namespace(cls, server: Server, raw_client: RawClient) -> Rig:
        name = f"shop-{next(_NUMBERS)}"
        server.put({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
        return cls(server=server, raw_client=raw_client, namespace=name)

    @property
    def path(self) -> str:
        return ALL.replace("/things", f"/namespaces/{self.namespace}/things")

    def create(self, name: str, **more: Any) -> Json:  # noqa: ANN401 - any JSON
        """Create an Thing and return it. Fails the test if the server refuses it."""
        return check_success(self.raw_client.send("POST", self.path, build_thing(name, **more)))

    def patch(self, name: str, change: object, content_type: str) -> Reply:
        return self.raw_client.send("PATCH", f"{self.path}/{name}", change, content_type=content_type)


def build_thing(name: str, *, spec: object = None, status: object = None, **metadata: Any) -> Json:  # noqa: ANN401 - any JSON
    body = {"spec": spec if spec is not None else {"ingressClassName": "nginx"}}
    body |= {"status": status} if status is not None else {}
    return {
        "apiVersion": "acme.test/v1",
        "kind": "Thing",
        "metadata": {"name": name, **metadata},
        **body,
    }


def check_success(reply: Reply) -> Json:
    assert reply.code in {200, 201}, reply
    return dict(reply.body)
