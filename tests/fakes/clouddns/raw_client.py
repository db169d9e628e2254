"""A plain HTTP client of the fake Cloud DNS, without retries."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlencode

from tests.fakes.clouddns.server import PROJECT, CloudDns

Json = Mapping[str, Any]


def rrset(name: str, kind: str = "A", *rrdatas: str, ttl: int = 300) -> dict[str, Any]:
    """Build a resource record set as JSON. The default data is 192.0.2.1."""
    return {"name": name, "type": kind, "ttl": ttl, "rrdatas": list(rrdatas or ("192.0.2.1",))}


def weighted(name: str, *items: tuple[float, str]) -> dict[str, Any]:
    """Build a resource record set with a weighted routing policy. Each item is a weight and a target."""
    policy = {"wrr": {"items": [{"weight": weight, "rrdatas": [address]} for weight, address in items]}}
    return {"name": name, "type": "A", "ttl": 60, "routingPolicy": policy}


class RawClient:
    """A client of one zone."""

    def __init__(self, fake: CloudDns, zone: str) -> None:
        self.fake = fake
        self.zone = zone

    def change(self, *, add: tuple[Json, ...] = (), delete: tuple[Json, ...] = (), **fields: Any) -> tuple[int, Any]:  # noqa: ANN401 - JSON
        """Submit a change. Return status and body of the response."""
        body = {"additions": list(add), "deletions": list(delete), **fields}
        return self.http("POST", f"/managedZones/{self.zone}/changes", json.dumps(body))

    def refusal(self, **change: Any) -> tuple[int, list[tuple[str, str]]]:  # noqa: ANN401 - as `change`
        """Submit a change that must be refused and change nothing. Return the status, and reasons with messages."""
        before = self.fake.records(self.zone, own=True)
        status, detail = self.change(**change)
        assert self.fake.records(self.zone, own=True) == before, "a refused change changed something"
        assert status >= 400, detail
        assert detail["error"]["code"] == status
        assert detail["error"]["message"] == detail["error"]["errors"][0]["message"]
        return status, [(error["reason"], error["message"]) for error in detail["error"]["errors"]]

    def listed(self, **query: Any) -> tuple[list[str], str]:  # noqa: ANN401 - of the API
        """Return the record sets of one page, as `name type`, and the token of the next page."""
        status, detail = self.http("GET", f"/managedZones/{self.zone}/rrsets?{urlencode(query)}")
        assert status == 200, detail
        return [f"{one['name']} {one['type']}" for one in detail["rrsets"]], detail.get("nextPageToken", "")

    def http(self, method: str, path: str, body: str = "") -> tuple[int, Any]:
        connection = HTTPConnection("127.0.0.1", int(self.fake.url.rpartition(":")[2]), timeout=60)
        try:
            connection.request(method, f"/dns/v1/projects/{PROJECT}{path}", body)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()
