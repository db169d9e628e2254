"""Run extdns once over manifests and zone files, and request pages of its web site."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Final, cast
from urllib.parse import quote

from msgspec.structs import replace

from extdns.app import assembly
from extdns.app.cluster import describe_objects
from extdns.config import parse
from extdns.documents.changes import ChangeDocument
from extdns.documents.document import build_zone_reference
from extdns.documents.rules import NO_RULES, RuleSnapshot
from extdns.documents.snapshot import EngineSnapshot, ProcessSnapshot
from extdns.flags.address import ListenAddress
from extdns.model.dns_name import DnsName
from extdns.model.zone import RateLimitStatus
from extdns.web.api import Api
from extdns.web.pages import HtmlPages
from extdns.web.site import Site
from tests.objects import service
from tests.program.installation import Installation

if TYPE_CHECKING:
    from pathlib import Path
    from wsgiref.types import StartResponse, WSGIApplication

    from extdns.config import Config

AT: Final = datetime(2026, 11, 20, 9, 14, 31, tzinfo=UTC)
BUDGET: Final = RateLimitStatus(
    account="", action="ChangeResourceRecordSets", calls_left=48.04, per_s=10.0, throttle_count=2
)
LOCAL: Final = ListenAddress(host="127.0.0.1", port=7980)


class WsgiResponse:
    """The response of a WSGI application to one request."""

    def __init__(
        self,
        application: WSGIApplication,
        path: str,
        query: str = "",
        *,
        method: str = "GET",
        host: str = "localhost",
        bound: str = "127.0.0.1",
    ) -> None:
        self.status = 0
        self.headers: Mapping[str, str] = {}
        environ = {"REQUEST_METHOD": method, "PATH_INFO": path.encode().decode("latin-1"), "QUERY_STRING": query}
        environ |= {"HTTP_HOST": host, "SERVER_NAME": bound}
        self.body = b"".join(application(environ, cast("StartResponse", self._start)))

    def _start(self, status: str, headers: list[tuple[str, str]], _exc_info: object = None, /) -> object:
        self.status, self.headers = int(status[:3]), dict(headers)
        return lambda _: None

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def json(self) -> Any:  # noqa: ANN401 - any JSON value
        return json.loads(self.body)


class Process:
    """A snapshot of the process, and the site that shows it."""

    def __init__(self, live: ProcessSnapshot, config: Config) -> None:
        self.live = live
        self.config = config
        self.api = Api(config, lambda: (BUDGET,), partial(describe_objects, config))
        self.pages = pages = HtmlPages(config, self.api)
        self.site = Site(read_snapshot=lambda: live, api=self.api, load_pages=lambda: pages, address=LOCAL)

    def get(self, path: str, **query: str) -> WsgiResponse:
        """Request *path* with the parameters *query*."""
        return WsgiResponse(self.site, path, "&".join(f"{key}={quote(value)}" for key, value in query.items()))


def process(
    root: Path,
    *objects: Mapping[str, object],
    flags: tuple[str, ...] = (),
    orphans: int = 0,
    zone: str = "www IN A 192.0.2.99\n",
    rules: RuleSnapshot = NO_RULES,
) -> Process:
    """Return a process after a dry run over *objects* in the folder *root*.

    *flags* are further flags, *orphans* is how many records of ours in the zone have no object any more, and *zone* is
    what people wrote into it, and *rules* is the state of the rules that the flags name.
    """
    installation = Installation(root, example_org=zone, example_net="")
    if orphans:
        installation.replace_manifests(
            *(service(f"old{number}", f"old{number}.example.org") for number in range(orphans))
        )
        assert installation.run_once() == 0
    installation.replace_manifests(*objects)
    arguments = (
        f"--manifests={installation.manifests}",
        "--source=service",
        "--provider=zonefile",
        f"--zonefile-dir={installation.zones.folder}",
        "--metrics-address=127.0.0.1:0",
        "--txt-owner-id=me",
        "--once",
        "--dry-run",
    )
    config = parse([*arguments, *flags], {})
    running = assembly.assemble(config)
    running.controller.run(once=True)
    seen = EngineSnapshot(running.engine)
    if seen.rules_evaluated_at_s is not None:
        seen.rules_evaluated_at_s = -60.0
    changes = tuple(
        ChangeDocument(
            at=AT,
            zone=build_zone_reference(entry.zone),
            name=DnsName("web.example.org"),
            type="A",
            set_identifier="",
            action="create",
            targets=("192.0.2.1",),
            object="Service shop/web",
            outcome="applied",
            detail="C123",
        )
        for entry in seen.zones[:1]
    )
    kinds = tuple(replace(state, since_s=-3600.0) for state in running.controller.kind_states())
    live = ProcessSnapshot(engine=seen, at=AT, at_s=0.0, kinds=kinds, changes=changes, synced=True, rules=rules)
    return Process(live, config)
