"""The live page: what a browser is shown of a running process, read-only and without JavaScript if need be.

Addresses are relative, so that the page works below any path of a proxy.
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from extdns.errors import shown
from extdns.facts import areas
from extdns.facts.held import held_facts
from extdns.facts.names import STATES, State
from extdns.facts.nametext import next_step, place, sections
from extdns.facts.printable import printable
from extdns.facts.times import moment, span
from extdns.facts.words import short_field
from extdns.model.quantity import count
from extdns.model.reason import MEANINGS, Reason
from extdns.web.answer import Answer
from extdns.web.api import PREFIX, Api, NotThereError
from extdns.web.query import WISHES, BadRequestError, Query

if TYPE_CHECKING:
    from collections.abc import Mapping

    from extdns.config import Config
    from extdns.facts.live import Live

_HERE: Final = Path(__file__).parent
_HTML: Final = "text/html; charset=utf-8"
_ASSETS: Final = {
    "/page.css": "text/css; charset=utf-8",
    "/page.js": "text/javascript; charset=utf-8",
    "/icon.svg": "image/svg+xml",
}
_ROWS: Final = 50
_AGES: Final = ("10m", "1h", "1d", "7d", "30d")
AREAS: Final = {"/": "Names", "/zones": "Zones", "/sources": "Sources", "/changes": "Changes"}


class HtmlPages:
    """Makes pages of the documents that the JSON API serves."""

    def __init__(self, config: Config, api: Api) -> None:
        """Show what *api* serves of a process that runs as *config* says; templates and other files are read once."""
        self._config = config
        self._api = api
        self._assets = {
            path: Answer(body=(_HERE / "static" / path[1:]).read_bytes(), content_type=kind)
            for path, kind in _ASSETS.items()
        }
        self._templates = Environment(
            loader=FileSystemLoader(_HERE / "templates"),
            autoescape=True,
            auto_reload=False,
            finalize=_finalize,
            lstrip_blocks=True,
            trim_blocks=True,
            undefined=StrictUndefined,
        )
        self._templates.filters |= {
            "address": _address,
            "age": _age,
            "counted": count,
            "explained": _explained,
            "field": short_field,
            "place": place,
            "time": _time,
        }
        self._templates.globals |= {"areas": AREAS, "meanings": dict(MEANINGS), "states": STATES}

    def asset(self, path: str) -> Answer | None:
        """A file that pages need, None if *path* is none."""
        return self._assets.get(path)

    def page(self, live: Live, path: str, query: str) -> Answer:
        """The page at *path*.

        Raises:
            BadRequestError: the query is wrong.
            NotThereError: there is no such page.
        """
        match path:
            case "/":
                return self._names(live, query)
            case "/name":
                return self._name(live, query)
            case "/zones" | "/sources" | "/changes":
                Query.parse(query, ())
                document = self._api.document(live, path[1:], "")
                return self._rendered(f"{path[1:]}.html", live, path, document=document)
            case _:
                raise NotThereError(f"there is no {shown(path)}; there are: {', '.join(AREAS)}, and {PREFIX}")

    def _names(self, live: Live, query: str) -> Answer:
        asked = Query.parse(query, (*WISHES, "after", "limit"))
        most = asked.most(_ROWS)
        found = live.names.part(asked.wish(live.at), asked.get("after", ""), most)
        filters = {name: asked[name] for name in (*WISHES, "limit") if name in asked}
        return self._rendered(
            "names.html",
            live,
            "/",
            document=areas.names_facts(live, found),
            asked=asked,
            first=_address(filters) if found.before is not None else None,
            before=_address(filters | {"after": found.before}) if found.before is not None else None,
            after=_address(filters | {"after": found.after}) if found.after is not None else None,
            without={name: _address({key: filters[key] for key in filters if key != name}) for name in filters},
            by_state={state: _address(filters | {"state": state.value}) for state in State},
            ages=_AGES,
            zones=sorted({entry.zone.name for entry in live.seen.zones}),
            sources=sorted({source for source, _ in live.seen.claims.askers()}),
            reasons=sorted(reason for reason, number in live.seen.decisions.reasons.items() if number),
        )

    def _name(self, live: Live, query: str) -> Answer:
        asked = Query.parse(query, ("of",))
        if "of" not in asked:
            raise BadRequestError("name?of=NAME needs a name")
        facts = self._api.name(live, asked["of"])
        meaning = MEANINGS[Reason(facts.reason)] if facts.reason else ""
        return self._rendered(
            "name.html",
            live,
            "/name",
            facts=facts,
            meaning=meaning,
            sections=tuple(sections(facts)),
            next_step=next_step(facts),
        )

    def _rendered(self, template: str, live: Live, path: str, **more: object) -> Answer:
        body = self._templates.get_template(template).render(
            live=live,
            path=path,
            title=AREAS.get(path, ""),
            status=areas.status_facts(live),
            held=held_facts(live, self._config),
            at=live.at,
            burst=self._config.control.api_burst,
            **more,
        )
        return Answer(body=body.encode("utf-8", "backslashreplace"), content_type=_HTML)


def _finalize(value: object) -> object:
    """Whatever is shown fits on a line and has no characters that change how the rest is read."""
    return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _address(parameters: Mapping[str, str]) -> Markup:
    """The relative address of the list of names, with *parameters*, whole whatever its length."""
    return escape(f".?{urlencode(parameters)}" if parameters else ".")


def _explained(name: str) -> Markup:
    """The relative address of the page of *name*."""
    return escape(f"name?{urlencode({'of': name})}")


def _age(since: datetime, now: datetime) -> Markup:
    """How old something is at *now* that is there *since* then."""
    form = Markup('<time datetime="{0:%Y-%m-%dT%H:%M:%SZ}" title="{1}">{2}</time>')
    return form.format(since, moment(since), span((now - since).total_seconds()))


def _time(at: datetime, now: datetime) -> Markup:
    """*at* in UTC, and how long before *now* that was."""
    form = Markup('<time datetime="{0:%Y-%m-%dT%H:%M:%SZ}">{0:%Y-%m-%d %H:%M:%S} UTC</time> <span>{1} ago</span>')
    return form.format(at, span((now - at).total_seconds()))
