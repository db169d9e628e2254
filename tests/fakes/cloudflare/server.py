"""The fake of Cloudflare's API, with the methods that tests use to change zones and behaviour."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from http import HTTPStatus
from itertools import count
from threading import RLock
from typing import Final
from urllib.parse import parse_qs, unquote, urlsplit

from tests.fakes.cloudflare.hostnames import answer_regions, change_customs
from tests.fakes.cloudflare.values import Json, build_record, check_coexistence, refuse, restate
from tests.fakes.service.answers import Answer, ApiError
from tests.fakes.service.listener import Request
from tests.fakes.service.server import FakeService

TOKEN: Final = "token-of-a-cloudflare-test"
_PREFIX: Final = "/client/v4"
_JSON: Final = {"Content-Type": "application/json"}
_ROUTE: Final = re.compile(
    rf"{_PREFIX}/zones(?:/(?P<zone>\w+)(?:/(?:addressing/)?(?P<what>dns_records|pagerules|regional_hostnames|custom_hostnames)"
    r"(?:/(?P<record>[\w.*-]+))?)?)?",
    re.ASCII,
)
_PER_PAGE: Final = {"zones": (5, 50, 20), "dns_records": (1, 5000, 100), "custom_hostnames": (5, 50, 20)}
"""The least and the most items in a page, and the default."""
_OPERATIONS: Final = {"free": 200, "pro": 3500, "enterprise": 3500}
"""The most operations of a batch, by plan."""
_CHAINED: Final = range(9000, 9100)
_BATCH: Final = ("deletes", "patches", "puts", "posts")
_RATE: Final = {"Ratelimit-Policy": '"default";q=1200;w=300', "Ratelimit": '"default";r=1100;t=300'}


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One received call; *action* is the method and the kind of thing, as `POST dns_records`."""

    action: str
    zone_id: str
    body: Json | None


@dataclass(kw_only=True, eq=False)
class Zone:
    """A zone with its records and custom hostnames by id, and the region of each regional hostname.

    *quota* is the most records that its plan allows, *protected* has names and types that cannot be changed.
    """

    id: str
    name: str
    plan: str = "free"
    quota: int = 3500
    records: dict[str, Json] = field(default_factory=dict)
    regions: dict[str, str] = field(default_factory=dict)
    customs: dict[str, Json] = field(default_factory=dict)
    protected: set[tuple[str, str]] = field(default_factory=set)


class Cloudflare(FakeService):
    """A fake Cloudflare. The methods that change zones bypass validation, faults and the log.

    Attributes:
        calls: all calls since the last `reset`.
        denied: actions that the token does not allow.
        nests_errors: whether an error of validation is the cause of a general one, as the API does it sometimes.
        retry_after_s: for how long a throttled client is to wait.
        names: the names of all values so far, by id.
    """

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[Call] = []
        self.denied: set[str] = set()
        self.nests_errors = False
        self.retry_after_s = 120
        self.names: dict[str, str] = {}
        self._zones: dict[str, Zone] = {}
        self.lock = RLock()
        self._ids = count(1)

    @property
    def url(self) -> str:
        return super().url + _PREFIX

    def reset(self) -> None:
        self.faults.clear()
        with self.lock:
            self._zones.clear()
            self.calls.clear()
            self.denied.clear()

    def add_zone(self, name: str, plan: str = "free") -> str:
        """Create a zone without records, and return its id."""
        with self.lock:
            zone = Zone(id=self._make_id(), name=name, plan=plan)
            self._zones[zone.id] = zone
            return zone.id

    def put(self, zone_id: str, name: str, rtype: str, content: str, **fields: object) -> Json:
        """Add one value to the records of a zone."""
        with self.lock:
            zone = self._zones[zone_id]
            body: Json = {"name": name, "type": rtype, "content": content, "ttl": 300, **fields}
            return self._store(zone, self._make_id(), build_record(body, zone.name, zone.plan))

    def set_quota(self, zone_id: str, quota: int) -> None:
        self._zones[zone_id].quota = quota

    def protect(self, zone_id: str, name: str, rtype: str) -> None:
        self._zones[zone_id].protected.add((name, rtype))

    def regions(self, zone_id: str) -> dict[str, str]:
        """Return the region of each regional hostname, which tests may change."""
        return self._zones[zone_id].regions

    def customs(self, zone_id: str) -> dict[str, Json]:
        """Return the custom hostnames by id, which tests may change."""
        return self._zones[zone_id].customs

    def delete(self, zone_id: str, record_id: str) -> None:
        with self.lock:
            del self._zones[zone_id].records[record_id]

    def edit(self, record_id: str, **fields: object) -> None:
        """Change fields of one value, as a person does in the dashboard: its id stays."""
        with self.lock:
            for zone in self._zones.values():
                if record_id in zone.records:
                    zone.records[record_id] |= fields

    def list_records(self, zone_id: str) -> list[Json]:
        """Return all values of a zone, in the order in which they were made."""
        with self.lock:
            return list(self._zones[zone_id].records.values())

    def _make_id(self) -> str:
        return f"{next(self._ids):032x}"

    def _respond(self, request: Request) -> Answer:
        url = urlsplit(request.target)
        query = {key: values[-1] for key, values in parse_qs(url.query).items()}
        body = json.loads(request.body) if request.body else None
        route = _ROUTE.fullmatch(unquote(url.path))
        what = (route["what"] or "zones") if route else ""
        call = Call(action=f"{request.method} {what}", zone_id=(route["zone"] or "") if route else "", body=body)
        with self.lock:
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
            with self.lock:
                found = self._answer(call, route["record"] or "", query)
        except ApiError as exc:
            error: Json = {"code": int(exc.code) if exc.code.isdigit() else 0, "message": exc.message}
            if self.nests_errors and error["code"] in _CHAINED:
                error = {"code": 1004, "message": "DNS Validation Error", "error_chain": [error]}
            found = {"result": None, "success": False, "errors": [error], "messages": []}
            headers = _JSON | (
                {"Retry-After": str(self.retry_after_s)} if exc.status == HTTPStatus.TOO_MANY_REQUESTS else {}
            )
            return fault.after(Answer(status=exc.status, body=json.dumps(found).encode(), headers=headers))
        return fault.after(Answer(status=200, body=json.dumps(found).encode(), headers=_JSON | _RATE))

    def _answer(self, call: Call, record_id: str, query: dict[str, str]) -> Json:
        if call.action == "GET zones" and not call.zone_id:
            return _build_page("zones", map(_describe_zone, self._zones.values()), query)
        zone = self._zones.get(call.zone_id)
        if zone is None:
            raise refuse(7003, "Could not route to that zone, perhaps your object identifier is invalid?", status=404)
        if call.action in {"GET zones", "GET pagerules"}:
            return _build_result(_describe_zone(zone) if call.action == "GET zones" else [])
        if call.action.endswith("_hostnames"):
            return self._answer_hostnames(zone, call, record_id, query)
        if call.action == "GET dns_records" and not record_id:
            return _build_page("dns_records", _select(zone.records.values(), query), query)
        if call.action == "POST dns_records" and record_id in {"", "batch"}:
            body = call.body or {}
            return _build_result(
                self._write_batch(zone, body) if record_id else self._write(zone, self._make_id(), body)
            )
        if record_id not in zone.records:
            raise refuse(81044, "Record does not exist.", status=404)
        if call.action == "PUT dns_records":
            return _build_result(self._write(zone, record_id, call.body))
        if call.action == "DELETE dns_records":
            del zone.records[record_id]
            return _build_result({"id": record_id})
        raise refuse(7001, f"Method not available: {call.action}", status=405)

    def _answer_hostnames(self, zone: Zone, call: Call, one_id: str, query: dict[str, str]) -> Json:
        (method, what), body = call.action.split(), call.body or {}
        if what == "regional_hostnames":
            return _build_result(answer_regions(zone.regions, method, one_id, body, zone.name, zone.plan))
        if method == "GET" and not one_id:
            return _build_page(what, zone.customs.values(), query)
        return _build_result(
            change_customs(zone.customs, method, one_id or self._make_id(), call.body or {}, zone.plan)
        )

    def _write_batch(self, zone: Zone, body: Json) -> Json:
        """Make all operations, or none: deletes first, then patches, puts and posts."""
        if unknown := body.keys() - set(_BATCH):
            raise refuse(9207, f"Request body is invalid: unknown {sorted(unknown)}.")
        if sum(map(len, body.values())) > _OPERATIONS[zone.plan]:
            raise refuse(9207, f"At most {_OPERATIONS[zone.plan]} operations.")
        before = dict(zone.records)
        try:
            return {what: [self._operate(zone, what, entry) for entry in body.get(what) or ()] for what in _BATCH}
        except ApiError:
            zone.records = before
            raise

    def _operate(self, zone: Zone, what: str, entry: Json) -> Json:
        fields = {key: value for key, value in entry.items() if key != "id"}
        if what == "posts":
            return self._write(zone, self._make_id(), fields)
        old = zone.records.get(entry["id"])
        if old is None:
            raise refuse(81044, "Record does not exist.", status=404)
        if (old["name"], old["type"]) in zone.protected:
            raise refuse(9007, "Content for the record is invalid.")
        if what == "deletes":
            return zone.records.pop(old["id"])
        return self._write(zone, old["id"], fields if what == "puts" else restate(old) | fields)

    def _write(self, zone: Zone, record_id: str, body: Json | None) -> Json:
        made = build_record(body or {}, zone.name, zone.plan)
        if (made["name"], made["type"]) in zone.protected:
            raise refuse(9007, "Content for the record is invalid.")
        if record_id not in zone.records and len(zone.records) >= zone.quota:
            raise refuse(81045, "Record quota exceeded.")
        check_coexistence(made, (one for one in zone.records.values() if one["id"] != record_id), zone.name)
        return self._store(zone, record_id, made)

    def _store(self, zone: Zone, record_id: str, made: Json) -> Json:
        self.names[record_id] = made["name"]
        zone.records[record_id] = {"id": record_id, "zone_id": zone.id, "zone_name": zone.name, **made}
        return zone.records[record_id]


def _describe_zone(zone: Zone) -> Json:
    return {
        "id": zone.id,
        "name": zone.name,
        "status": "active",
        "type": "full",
        "plan": {"legacy_id": zone.plan},
        "permissions": ["#dns_records:edit", "#dns_records:read", "#zone:read"],
        "name_servers": ["a.ns.cloudflare.example", "b.ns.cloudflare.example"],
    }


def _select(records: Iterable[Json], query: dict[str, str]) -> Iterable[Json]:
    """Return the records with the name in *query*, in the order that it asks for."""
    name = query.get("name.exact", "").lower()
    found = [one for one in records if not name or one["name"] == name]
    return sorted(found, key=lambda one: one["name"]) if query.get("order") == "name" else found


def _build_page(what: str, items: Iterable[Json], query: dict[str, str]) -> Json:
    least, most, default = _PER_PAGE[what]
    page, per_page = int(query.get("page", "1")), int(query.get("per_page", default))
    if page < 1 or not least <= per_page <= most:
        raise refuse(9208, f"per_page must be between {least} and {most}.")
    found = list(items)
    part = found[(page - 1) * per_page : page * per_page]
    info = {"page": page, "per_page": per_page, "count": len(part), "total_count": len(found)}
    return {**_build_result(part), "result_info": info | {"total_pages": -(-len(found) // per_page)}}


def _build_result(result: object) -> Json:
    return {"result": result, "success": True, "errors": [], "messages": []}
