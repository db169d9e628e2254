"""A client for tests: plain HTTP, one attempt a call."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlencode

from tests.fakes.clouddns.server import PROJECT, CloudDns

Json = Mapping[str, Any]


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


def rrset(name: str, kind: str = "A", *rrdatas: str, ttl: int = 300) -> dict[str, Any]:
    """Make a record set; 192.0.2.1 if no data is given."""
    return {"name": name, "type": kind, "ttl": ttl, "rrdatas": list(rrdatas or ("192.0.2.1",))}


def weighted(name: str, *items: tuple[float, str]) -> dict[str, Any]:
    """Make a record set with a weighted policy."""
    policy = {"wrr": {"items": [{"weight": weight, "rrdatas": [address]} for weight, address in items]}}
    return {"name": name, "type": "A", "ttl": 60, "routingPolicy": policy}


class Probe:
    """A client of one zone."""

    def __init__(self, fake: CloudDns, zone: str) -> None:
        self.fake = fake
        self.zone = zone

    def change(self, *, add: tuple[Json, ...] = (), delete: tuple[Json, ...] = (), **fields: Any) -> tuple[int, Any]:  # noqa: ANN401 - JSON
        """Make a change; gives status and answer."""
        body = {"additions": list(add), "deletions": list(delete), **fields}
        return self.http("POST", f"/managedZones/{self.zone}/changes", json.dumps(body))

    def refusal(self, **change: Any) -> tuple[int, list[tuple[str, str]]]:  # noqa: ANN401 - as `change`
        """Make a change that has to be refused, and leave nothing; gives status, and reasons with their messages."""
        before = self.fake.records(self.zone, own=True)
        status, said = self.change(**change)
        assert self.fake.records(self.zone, own=True) == before, "a refused change changed something"
        assert status >= 400, said
        assert said["error"]["code"] == status
        assert said["error"]["message"] == said["error"]["errors"][0]["message"]
        return status, [(error["reason"], error["message"]) for error in said["error"]["errors"]]

    def listed(self, **query: Any) -> tuple[list[str], str]:  # noqa: ANN401 - of the API
        """List record sets by `name type`, as one page gives them, and the token of the next."""
        status, said = self.http("GET", f"/managedZones/{self.zone}/rrsets?{urlencode(query)}")
        assert status == 200, said
        return [f"{one['name']} {one['type']}" for one in said["rrsets"]], said.get("nextPageToken", "")

    def http(self, method: str, path: str, body: str = "", *, project: str = PROJECT) -> tuple[int, Any]:
        """Send a request to the project; gives status and answer."""
        connection = HTTPConnection("127.0.0.1", int(self.fake.url.rpartition(":")[2]), timeout=5)
        try:
            connection.request(method, f"/dns/v1/projects/{project}{path}", body)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()
