"""The JSON API: the documents below `/api/v1/` (docs/reference/openapi.json)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from http import HTTPStatus
from typing import Final

from msgspec.structs import replace

from extdns.config import Config
from extdns.documents.document import VERSION, Document, ProcessReference, format_json
from extdns.documents.held import build_held
from extdns.documents.name import NameDocument, build_name
from extdns.documents.object import ObjectDocument, build_object
from extdns.documents.plan import build_running_plan
from extdns.documents.policies import build_policies
from extdns.documents.snapshot import ProcessSnapshot
from extdns.documents.status import build_changes, build_names, build_sources, build_status, build_zones
from extdns.errors import InvalidValueError, UsageError, sanitize
from extdns.model.dns_name import DnsName
from extdns.model.kind import ObjectKey
from extdns.model.origin import Origin
from extdns.model.zone import RateLimitStatus
from extdns.web.query import FILTER_PARAMETERS, PAGE_PARAMETERS, Query, RequestError
from extdns.web.response import Response

PREFIX: Final = "/api/v1/"
_ROWS: Final = 100
_NAMES: Final = "names/"
_OBJECTS: Final = "objects/"


class Api:
    """Build documents from copies of the engine's state."""

    def __init__(
        self,
        config: Config,
        rate_limits: Callable[[], Iterable[RateLimitStatus]],
        describe_objects: Callable[[], str] = str,
        replica: str = "",
        find_leader: Callable[[], str] = str,
        find_origin: Callable[[ObjectKey], Origin] = Origin.unknown,
    ) -> None:
        """Build documents about this process.

        *rate_limits* returns how many calls to the DNS service may be made now, and *describe_objects* where objects
        are read from, such as `cluster https://192.0.2.1:6443`. If there is a leader election, *replica* is the name of
        the host, else "", and *find_leader* returns the replica that is the leader, "" if it is unknown.
        """
        self._config = config
        self._objects = cache(describe_objects)
        self._replica = replica
        self._find_leader = find_leader
        self._find_origin = find_origin
        self._documents: Mapping[str, Callable[[ProcessSnapshot], Document]] = {
            "status": lambda live: build_status(live, config),
            "zones": lambda live: build_zones(live, config, rate_limits()),
            "sources": build_sources,
            "changes": build_changes,
            "held": lambda live: build_held(live, config),
            "plan": lambda live: build_running_plan(live, config),
        }

    def describe_process(self, live: ProcessSnapshot, address: str) -> ProcessReference:
        """Return the document that identifies this process. The client reached it at *address*."""
        role = "leader" if live.engine.is_leader else "standby"
        return ProcessReference(
            address=address,
            owner=self._config.registry.txt_owner_id,
            objects=self._objects(),
            replica=self._replica,
            role=role if self._replica else "",
            leader=self._find_leader(),
        )

    def build_document(self, live: ProcessSnapshot, path: str, query: str, address: str = "") -> Document:
        """Build the document at *path*, given without `PREFIX`. The client reached the process at *address*.

        Raises:
            RequestError: the path or the query is invalid, or there is no such document.
        """
        return replace(self._document(live, path, query), process=self.describe_process(live, address))

    def build_name_document(self, live: ProcessSnapshot, text: str, address: str = "") -> NameDocument:
        """Build the document about the name *text*, requested or not.

        Raises:
            RequestError: *text* is not a DNS name.
        """
        return replace(self._name(live, text), process=self.describe_process(live, address))

    def _document(self, live: ProcessSnapshot, path: str, query: str) -> Document:
        if path == "names":
            parsed = Query.parse(query, (*FILTER_PARAMETERS, *PAGE_PARAMETERS))
            return build_names(
                live,
                live.names.find_page(
                    parsed.build_name_query(live.at), parsed.get("after", ""), parsed.parse_limit(_ROWS)
                ),
            )
        if path == "policies":
            parsed = Query.parse(query, PAGE_PARAMETERS)
            return build_policies(live, self._config, parsed.get("after", ""), parsed.parse_limit(_ROWS))
        Query.parse(query, ())
        if path.startswith(_NAMES):
            return self._name(live, path.removeprefix(_NAMES))
        if path.startswith(_OBJECTS):
            return self._object(live, path.removeprefix(_OBJECTS))
        if path not in self._documents:
            known = ", ".join(
                sorted((*self._documents, "names", "names/NAME", "objects/KIND/NAMESPACE/NAME", "policies"))
            )
            raise RequestError(f"{PREFIX}{sanitize(path)} not found; available: {known}", HTTPStatus.NOT_FOUND)
        return self._documents[path](live)

    def _name(self, live: ProcessSnapshot, text: str) -> NameDocument:
        try:
            name = DnsName.parse(text)
        except InvalidValueError as exc:
            raise RequestError(f"{sanitize(text)} is not a name; allowed: {exc.allowed}") from exc
        return build_name(
            live.engine,
            name,
            self._config,
            missing=live.engine.missing,
            live=live,
            find_origin=self._find_origin,
        )

    def _object(self, live: ProcessSnapshot, text: str) -> ObjectDocument:
        try:
            return build_object(
                live.engine, text, self._config, live.engine.missing, live, find_origin=self._find_origin
            )
        except UsageError as exc:
            raise RequestError(str(exc).replace("\n", ";"), HTTPStatus.NOT_FOUND) from exc


def build_document_response(document: Document) -> Response:
    """Build the response with *document* as JSON."""
    return Response(body=format_json(document).encode(), content_type="application/json")


def build_error_response(status: HTTPStatus, message: str) -> Response:
    """Build the response to a request that failed: *status*, and *message* as JSON."""
    body = format_json({"apiVersion": VERSION, "kind": "Error", "message": message})
    return Response(status=status, body=body.encode(), content_type="application/json")
