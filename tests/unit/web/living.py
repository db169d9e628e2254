"""A process that has made a pass over manifests and zone files, and what it answers to requests."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, cast
from urllib.parse import quote

from extdns.app import assembly
from extdns.config import parse
from extdns.facts.changes import Sent
from extdns.facts.live import Live
from extdns.facts.snapshot import Snapshot
from extdns.flags.address import ListenAddress
from extdns.model.apibudget import ApiBudget
from extdns.model.cluster import KindState, Phase
from extdns.model.name import DnsName
from extdns.web.api import Api
from extdns.web.pages import HtmlPages
from extdns.web.site import Site
from tests.integration.stage import Stage, service

if TYPE_CHECKING:
    from pathlib import Path
    from wsgiref.types import StartResponse

    from extdns.config import Config

AT: Final = datetime(2026, 11, 20, 9, 14, 31, tzinfo=UTC)
BUDGET: Final = ApiBudget(account="", action="ChangeResourceRecordSets", left=48.04, per_s=10.0, throttled=2)
LOCAL: Final = ListenAddress(host="127.0.0.1", port=7980)


class Response:
    """What a WSGI application said."""

    def __init__(self, site: Site, path: str, query: str = "", *, method: str = "GET", host: str = "localhost") -> None:
        self.status = 0
        self.headers: Mapping[str, str] = {}
        given = {"REQUEST_METHOD": method, "PATH_INFO": path.encode().decode("latin-1"), "QUERY_STRING": query}
        self.body = b"".join(site({**given, "HTTP_HOST": host}, cast("StartResponse", self._start)))

    def _start(self, status: str, headers: list[tuple[str, str]], _exc_info: object = None, /) -> object:
        self.status, self.headers = int(status[:3]), dict(headers)
        return lambda _: None

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def json(self) -> Any:  # noqa: ANN401 - whatever was answered
        return json.loads(self.body)


class Process:
    """What is shown of a process, and the site that shows it."""

    def __init__(self, live: Live, config: Config) -> None:
        self.live = live
        self.config = config
        self.api = Api(config, lambda: (BUDGET,))
        pages = HtmlPages(config, self.api)
        self.site = Site(show=lambda: live, api=self.api, pages=lambda: pages, address=LOCAL)

    def get(self, path: str, **query: str) -> Response:
        return Response(self.site, path, "&".join(f"{key}={quote(value)}" for key, value in query.items()))


def process(root: Path, *objects: Mapping[str, object], flags: tuple[str, ...] = (), orphans: int = 0) -> Process:
    """A process after a pass over *objects*, having begun with *orphans* records whose objects are gone."""
    stage = Stage(root, example_org="www IN A 192.0.2.99\n", example_net="")
    if orphans:
        stage.apply(*(service(f"old{number}", f"old{number}.example.org") for number in range(orphans)))
        assert stage.once() == 0
    stage.apply(*objects)
    arguments = (
        f"--manifests={stage.manifests}",
        "--source=service",
        "--provider=zonefile",
        f"--zonefile-dir={stage.zones}",
        "--metrics-address=127.0.0.1:0",
        "--txt-owner-id=me",
        "--once",
        "--dry-run",
    )
    config = parse([*arguments, *flags], {})
    running = assembly.assemble(config)
    running.controller.run(once=True)
    seen = Snapshot(running.engine)
    kinds = tuple(
        KindState(kind=kind, phase=Phase.SYNCED, since_s=-3600.0)
        for kind in sorted({key.kind for _, key in seen.claims.askers()})
    )
    changes = tuple(
        Sent(
            at=AT,
            zone=entry.zone,
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
    return Process(Live(seen, at=AT, at_s=0.0, kinds=kinds, changes=changes, settled=True), config)
