"""The fake of Azure's REST API, with the methods that tests use to change zones and behaviour."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import count
from threading import RLock
from typing import Final
from urllib.parse import parse_qs, quote, unquote, urlsplit

from tests.fakes.azure.values import Json, build_properties, refuse, spell_field
from tests.fakes.service.answers import Answer, ApiError
from tests.fakes.service.listener import Request
from tests.fakes.service.server import FakeService

TOKEN: Final = "token-of-an-azure-test"
SUBSCRIPTION: Final = "00000000-0000-0000-0000-000000000001"
GROUP: Final = "Shop"
SERVICES: Final = {"dnszones": ("2018-05-01", False), "privatednszones": ("2024-06-01", True)}
_JSON: Final = {"Content-Type": "application/json"}
_ROUTE: Final = re.compile(
    r"/subscriptions/(?P<subscription>[^/]+)/resourceGroups/(?P<group>[^/]+)/providers/Microsoft\.Network"
    r"/(?P<service>dnsZones|privateDnsZones)(?:/(?P<zone>[^/]+)"
    r"(?:/providers/Microsoft\.Authorization/(?P<about>permissions|locks)|/(?P<type>[A-Za-z]+)(?:/(?P<name>[^/]+))?)?)?",
    re.IGNORECASE,
)
_ALL: Final = frozenset({"ALL", "RECORDSETS"})
_ROLE: Final = {"actions": ["Microsoft.Network/*Zones/*", "Microsoft.Authorization/*/read"], "notActions": []}
_TOP: Final = range(1, 1001)
_DEFAULT_TOP: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One received call; *action* is its method and what it is about, as `PUT TXT`; *zone_id* names the zone."""

    action: str
    zone_id: str
    name: str
    top: str
    condition: str
    body: Json | None


@dataclass(kw_only=True, eq=False)
class Zone:
    """A zone with its record sets, by relative name and type.

    Attributes:
        denied: whether the caller has no role on the record sets.
        lock: the level of a lock, such as ReadOnly.
        role: what the caller may do, as the API describes it.
        history: the keys of all record sets after each write.
        protected: names and types of record sets of which every change is refused.
    """

    name: str
    private: bool
    denied: bool = False
    lock: str = ""
    quota: int = 10_000
    role: Json = field(default_factory=lambda: dict(_ROLE))
    sets: dict[tuple[str, str], Json] = field(default_factory=dict)
    history: list[frozenset[tuple[str, str]]] = field(default_factory=list)
    protected: set[tuple[str, str]] = field(default_factory=set)


class Azure(FakeService):
    """A fake Azure. The methods that change zones bypass validation of conditions, faults and the log.

    Attributes:
        calls: all calls of the DNS services since the last `reset`.
        tokens: how many tokens the identity endpoint gave.
        max_top: the most items in a page, for pages that are not full.
        retry_after_s: for how long a throttled client is to wait.
    """

    def __init__(self, *, tls: bool = False) -> None:
        super().__init__(tls=tls)
        self.calls: list[Call] = []
        self.tokens = 0
        self.max_top = 1000
        self.retry_after_s = 10
        self._zones: dict[str, Zone] = {}
        self.lock = RLock()
        self._etags = count(1)

    def reset(self) -> None:
        self.faults.clear()
        with self.lock:
            self._zones.clear()
            self.calls.clear()
            self.max_top = 1000

    def add_zone(self, name: str, *, private: bool = False) -> Zone:
        with self.lock:
            zone = self._zones[name] = Zone(name=name, private=private)
            soa = {"host": "ns1.azure.example.", "email": "dns.azure.example.", "serialNumber": 1, "refreshTime": 3600}
            times = {"retryTime": 300, "expireTime": 2419200, "minimumTTL": 300}
            self._store(zone, "@", "SOA", {"soaRecord" if private else "SOARecord": soa | times}, ttl=3600)
            if not private:
                self._store(zone, "@", "NS", {"NSRecords": [{"nsdname": "ns1.azure.example."}]}, ttl=172800)
            zone.history.clear()
            return zone

    def put(self, zone: Zone, name: str, rtype: str, records: object, **properties: object) -> Json:
        """Store a record set, as a person does in the portal. *records* is the content of its field."""
        with self.lock:
            field = {} if records is None else {spell_field(rtype, private=zone.private): records}
            ttl = properties.pop("ttl", 300)
            return self._store(zone, name, rtype, {**field, **properties}, ttl=ttl)

    def edit(self, zone: Zone, name: str, rtype: str, **properties: object) -> None:
        """Change properties of a record set, which gives it a new etag."""
        with self.lock:
            found = zone.sets[name, rtype]
            found["properties"] |= properties
            found["etag"] = self._make_etag()

    def delete(self, zone: Zone, name: str, rtype: str) -> None:
        with self.lock:
            del zone.sets[name, rtype]

    def _make_etag(self) -> str:
        return f"{next(self._etags):08x}-0000-4000-8000-000000000000"

    def _store(self, zone: Zone, name: str, rtype: str, properties: Json, *, ttl: object) -> Json:
        alias: Json = {} if zone.private else {"targetResource": {}}
        made = {"ttl" if zone.private else "TTL": ttl, "metadata": {}, "fqdn": f"{name}.{zone.name}.", **alias}
        service = "privateDnsZones" if zone.private else "dnszones"
        found: Json = {
            "id": f"{_describe_group()}/{service}/{zone.name}/{rtype}/{name}",
            "name": name,
            "type": f"Microsoft.Network/{service}/{rtype}",
            "etag": self._make_etag(),
            "properties": made | properties,
        }
        if zone.private:
            found["properties"].setdefault("isAutoRegistered", False)
        zone.sets[name, rtype] = found
        zone.history.append(frozenset(zone.sets))
        return found

    def _respond(self, request: Request) -> Answer:
        url = urlsplit(request.target)
        query = {key: values[-1] for key, values in parse_qs(url.query).items()}
        if url.path == "/metadata/identity/oauth2/token":
            return self._give_token(request, query)
        route = _ROUTE.fullmatch(url.path)
        parts = {key: unquote(value or "") for key, value in route.groupdict().items()} if route else {}
        what = parts.get("about") or parts.get("type", "").upper() or ("ZONE" if parts.get("zone") else "ZONES")
        call = Call(
            action=f"{request.method} {what}",
            zone_id=parts.get("zone", "").lower(),
            name=parts.get("name", ""),
            top=query.get("$top", ""),
            condition=request.headers.get("if-match") or request.headers.get("if-none-match") or "",
            body=json.loads(request.body) if request.body else None,
        )
        with self.lock:
            self.calls.append(call)
        fault = self.faults.take(call)
        try:
            fault.before()
            if request.headers.get("authorization") != f"Bearer {TOKEN}":
                raise refuse(401, "InvalidAuthenticationToken", "The access token is invalid.")
            if not route or (parts["subscription"], parts["group"].lower()) != (SUBSCRIPTION, GROUP.lower()):
                raise refuse(404, "ResourceGroupNotFound", f"Resource group '{parts.get('group')}' could not be found.")
            version, private = SERVICES[parts["service"].lower()]
            if not parts["about"] and query.get("api-version") != version:
                raise refuse(400, "InvalidApiVersionParameter", f"The api-version is invalid; supported: {version}.")
            with self.lock:
                answer = self._answer(call, parts, query, request, private=private)
        except ApiError as exc:
            error = {"code": exc.code, "message": exc.message}
            headers = _JSON | ({"Retry-After": str(self.retry_after_s)} if exc.status == 429 else {})
            body = error if exc.status in {400, 412} else {"error": error}  # the DNS service, and ARM
            return fault.after(Answer(status=exc.status, body=json.dumps(body).encode(), headers=headers))
        return fault.after(answer)

    def _give_token(self, request: Request, query: dict[str, str]) -> Answer:
        """Answer as the endpoint for managed identities of a virtual machine, or of App Service."""
        asked = request.headers.get("metadata") == "true" or "x-identity-header" in request.headers
        if not asked or "resource" not in query:
            return Answer(status=400, body=b'{"error":"invalid_request"}', headers=_JSON)
        self.tokens += 1
        found = {
            "access_token": TOKEN,
            "expires_in": "86399",
            "expires_on": "4102444800",
            "resource": query["resource"],
            "token_type": "Bearer",
        }
        return Answer(status=200, body=json.dumps(found).encode(), headers=_JSON)

    def _answer(
        self, call: Call, parts: dict[str, str], query: dict[str, str], request: Request, *, private: bool
    ) -> Answer:
        service = "privateDnsZones" if private else "dnsZones"
        if call.action == "GET ZONES":
            zones = [_describe_zone(zone) for zone in self._zones.values() if zone.private is private]
            return self._answer_page(zones, f"{_describe_group()}/{service}", query)
        zone = self._zones.get(call.zone_id)
        if zone is None or zone.private is not private:
            code = "ParentResourceNotFound" if call.name else "ResourceNotFound"
            raise refuse(404, code, f"The resource '{call.zone_id}' was not found.")
        if call.action == "GET ZONE":
            return _answer_json(_describe_zone(zone))
        if parts["about"]:
            locks = [{"properties": {"level": zone.lock}}] if zone.lock else []
            return _answer_json({"value": [zone.role] if parts["about"] == "permissions" else locks})
        rtype = parts["type"].upper()
        self._check_access(zone, request.method, (call.name.lower(), rtype))
        if request.method == "GET" and not call.name:
            sets = [one for (_, found), one in zone.sets.items() if rtype in _ALL or found == rtype]
            return self._answer_page(sets, f"{_describe_group()}/{service}/{zone.name}/{parts['type']}", query)
        return self._answer_set(zone, call, rtype, request)

    def _check_access(self, zone: Zone, method: str, key: tuple[str, str]) -> None:
        if zone.denied:
            raise refuse(403, "AuthorizationFailed", "The client does not have authorization to perform action.")
        if method != "GET" and (zone.lock == "ReadOnly" or (zone.lock and method == "DELETE")):
            raise refuse(409, "ScopeLocked", "The scope cannot perform the operation because it is locked.")
        if method != "GET" and key in zone.protected:
            raise refuse(400, "BadRequest", "The value of a record is invalid.")

    def _answer_set(self, zone: Zone, call: Call, rtype: str, request: Request) -> Answer:
        name = call.name.lower()
        held = zone.sets.get((name, rtype))
        wanted = request.headers.get("if-match", "")
        if request.method == "GET":
            if held is None:
                raise refuse(404, "NotFound", f"The resource record '{name}' does not exist in the zone.")
            return _answer_json(held)
        if request.method == "DELETE" and held is None:
            return Answer(status=204, body=b"")
        if (request.headers.get("if-none-match") == "*" and held) or (
            wanted and (held is None or wanted not in {"*", held["etag"]})
        ):
            raise refuse(412, "PreconditionFailed", "The condition of the request is not met.")
        if request.method == "DELETE":
            if name == "@" and rtype in {"NS", "SOA"}:
                raise refuse(400, "BadRequest", "The record set cannot be deleted.")
            del zone.sets[name, rtype]
            zone.history.append(frozenset(zone.sets))
            return Answer(status=200, body=b"")
        properties = build_properties(name, rtype, call.body, private=zone.private)
        types = {found for at, found in zone.sets if at == name and found != rtype}
        if types and (rtype == "CNAME" or "CNAME" in types):
            raise refuse(409, "Conflict", f"The record '{name}' could not be created: another record has this name.")
        if held is None and len(zone.sets) >= zone.quota:
            raise refuse(403, "QuotaExceeded", f"The zone has {zone.quota} record sets already.")
        ttl = properties.pop("ttl" if zone.private else "TTL")
        if zone.private:
            properties.pop("targetResource")
        return _answer_json(self._store(zone, name, rtype, properties, ttl=ttl), status=200 if held else 201)

    def _answer_page(self, items: list[Json], path: str, query: dict[str, str]) -> Answer:
        top = query.get("$top", str(_DEFAULT_TOP))
        if not top.isdecimal() or int(top) not in _TOP:
            raise refuse(400, "BadRequest", "Invalid $top value.")
        size, after = min(int(top), self.max_top), query.get("$skipToken", "")
        rest = [one for one in sorted(items, key=_get_position) if _get_position(one) > after]
        found: Json = {"value": rest[:size]}
        if len(rest) > size:
            token = quote(_get_position(rest[size - 1]))
            version = query["api-version"]
            found["nextLink"] = f"{self.url}{path}?%24skipToken={token}&api-version={version}&%24top={top}&x=opaque"
        return _answer_json(found)


def list_names(history: Iterable[frozenset[tuple[str, str]]]) -> Iterator[set[str]]:
    """Yield what a zone had at the same time, as `www A`."""
    return ({f"{name} {rtype}" for name, rtype in keys if name != "@"} for keys in history)


def _describe_group() -> str:
    return f"/subscriptions/{SUBSCRIPTION}/resourceGroups/{GROUP.lower()}/providers/Microsoft.Network"


def _get_position(item: Json) -> str:
    return f"{item['name']} {item['type']}"


def _describe_zone(zone: Zone) -> Json:
    service = "privateDnsZones" if zone.private else "dnszones"
    numbers = {"numberOfRecordSets": len(zone.sets), "maxNumberOfRecordSets": zone.quota}
    return {
        "id": f"{_describe_group()}/{service}/{zone.name}",
        "name": zone.name,
        "type": f"Microsoft.Network/{service}",
        "etag": "zone",
        "location": "global",
        "tags": {},
        "properties": numbers,
    }


def _answer_json(found: Json, *, status: int = 200) -> Answer:
    return Answer(status=status, body=json.dumps(found).encode(), headers=_JSON)
