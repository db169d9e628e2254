"""The fake of Cloudflare's API, with the methods that tests use to change zones and behaviour."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import count
from threading import RLock
from typing import Final
from urllib.parse import parse_qs, urlsplit

from tests.fakes.cloudflare.values import Json, build_record, check_coexistence, refuse
from tests.fakes.service.answers import Answer, ApiError
from tests.fakes.service.listener import Request
from tests.fakes.service.server import FakeService

TOKEN: Final = "token-of-a-cloudflare-test"
_PREFIX: Final = "/client/v4"
_JSON: Final = {"Content-Type": "application/json"}
_ROUTE: Final = re.compile(
    rf"{_PREFIX}/zones(?:/(?P<zone>\w+)/(?P<what>dns_records|pagerules)(?:/(?P<record>\w+))?)?", re.ASCII
)
_PER_PAGE: Final = {"zones": (5, 50), "dns_records": (5, 5000)}
"""The least and the most items in a page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One received call; *action* is the method and the kind of thing, as `POST dns_records`."""

    action: str
    zone_id: str
    body: Json | None


@dataclass(kw_only=True, eq=False)
class Zone:
    """A zone with its records by id."""

    id: str
    name: str
    records: dict[str, Json] = field(default_factory=dict)


class Cloudflare(FakeService):
    """A fake Cloudflare. The methods that change zones bypass validation, faults and the log.

    Attributes:
        calls: all calls since the last `reset`.
        denied: actions that the token does not allow.
    """

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[Call] = []
        self.denied: set[str] = set()
        self._zones: dict[str, Zone] = {}
        self._lock = RLock()
        self._ids = count(1)

    @property
    def url(self) -> str:
        """The value of `api_url`."""
        return super().url + _PREFIX

    def reset(self) -> None:
        """Delete zones, faults and calls, for the next test or Hypothesis example."""
        self.faults.clear()
        with self._lock:
            self._zones.clear()
            self.calls.clear()
            self.denied.clear()

    def add_zone(self, name: str) -> str:
        """Create a zone without records, and return its id."""
        with self._lock:
            zone = Zone(id=self._make_id(), name=name)
            self._zones[zone.id] = zone
            return zone.id

    def put(self, zone_id: str, name: str, rtype: str, content: str, **fields: object) -> Json:
        """Add one value to the records of a zone."""
        with self._lock:
            zone = self._zones[zone_id]
            body: Json = {"name": name, "type": rtype, "content": content, "ttl": 300, **fields}
            return self._store(zone, self._make_id(), build_record(body, zone.name))

    def list_records(self, zone_id: str) -> list[Json]:
        """Return all values of a zone, in the order in which they were made."""
        with self._lock:
            return list(self._zones[zone_id].records.values())

    def _make_id(self) -> str:
        return f"{next(self._ids):032x}"

    def _respond(self, request: Request) -> Answer:
        url = urlsplit(request.target)
        query = {key: values[-1] for key, values in parse_qs(url.query).items()}
        body = json.loads(request.body) if request.body else None
        route = _ROUTE.fullmatch(url.path)
        what = (route["what"] or "zones") if route else ""
        call = Call(action=f"{request.method} {what}", zone_id=(route["zone"] or "") if route else "", body=body)
        with self._lock:
            self.calls.append(call)
        fault = self.faults.take(call)
        try:
            fault.before()
            if request.headers.get("authorization") != f"Bearer {TOKEN}":
                raise refuse(9109, "Invalid access token", status=403)
            if call.action in self.denied:
                raise refuse(10000, "Authentication error", status=403)
            if route is None:
                raise refuse(7000, "No route for that URI", status=404)
            with self._lock:
                found = self._answer(call, route["record"] or "", query)
        except ApiError as exc:
            error = {"code": int(exc.code) if exc.code.isdigit() else 0, "message": exc.message}
            found = {"result": None, "success": False, "errors": [error], "messages": []}
            return fault.after(Answer(status=exc.status, body=json.dumps(found).encode(), headers=_JSON))
        return fault.after(Answer(status=200, body=json.dumps(found).encode(), headers=_JSON))

    def _answer(self, call: Call, record_id: str, query: dict[str, str]) -> Json:
        if call.action == "GET zones":
            return _build_page("zones", map(_describe_zone, self._zones.values()), query)
        zone = self._zones.get(call.zone_id)
        if zone is None:
            raise refuse(7003, "Could not route to that zone, perhaps your object identifier is invalid?", status=404)
        if call.action == "GET pagerules":
            return _build_result([])
        if call.action == "GET dns_records" and not record_id:
            return _build_page("dns_records", zone.records.values(), query)
        if call.action == "POST dns_records" and not record_id:
            return _build_result(self._write(zone, self._make_id(), call.body))
        if record_id not in zone.records:
            raise refuse(81044, "Record does not exist.", status=404)
        if call.action == "PUT dns_records":
            return _build_result(self._write(zone, record_id, call.body))
        if call.action == "DELETE dns_records":
            del zone.records[record_id]
            return _build_result({"id": record_id})
        raise refuse(7001, f"Method not available: {call.action}", status=405)

    def _write(self, zone: Zone, record_id: str, body: Json | None) -> Json:
        made = build_record(body or {}, zone.name)
        check_coexistence(made, (one for one in zone.records.values() if one["id"] != record_id), zone.name)
        return self._store(zone, record_id, made)

    def _store(self, zone: Zone, record_id: str, made: Json) -> Json:
        zone.records[record_id] = {"id": record_id, "zone_id": zone.id, "zone_name": zone.name, **made}
        return zone.records[record_id]


def _describe_zone(zone: Zone) -> Json:
    return {
        "id": zone.id,
        "name": zone.name,
        "status": "active",
        "type": "full",
        "plan": {"legacy_id": "free"},
        "name_servers": ["a.ns.cloudflare.example", "b.ns.cloudflare.example"],
    }


def _build_page(what: str, items: Iterable[Json], query: dict[str, str]) -> Json:
    """Return one page of *items*, as `page` and `per_page` in *query* request it."""
    least, most = _PER_PAGE[what]
    page, per_page = int(query.get("page", "1")), int(query.get("per_page", "20"))
    if page < 1 or not least <= per_page <= most:
        raise refuse(9208, f"per_page must be between {least} and {most}.")
    found = list(items)
    part = found[(page - 1) * per_page : page * per_page]
    info = {"page": page, "per_page": per_page, "count": len(part), "total_count": len(found)}
    return {**_build_result(part), "result_info": info | {"total_pages": -(-len(found) // per_page)}}


def _build_result(result: object) -> Json:
    return {"result": result, "success": True, "errors": [], "messages": []}
