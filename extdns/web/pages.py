"""The live page of a running process. It is read-only, and works without JavaScript.

URLs are relative, so that the page works below any path of a proxy.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from functools import cache
from http import HTTPStatus
from pathlib import Path
from typing import Final
from urllib.parse import urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape
from msgspec.structs import replace

from extdns.config import Config
from extdns.documents.changes import OUTCOME_LEVELS
from extdns.documents.document import describe_process, format_command
from extdns.documents.explanation import build_sections, suggest_next_step
from extdns.documents.held import build_held, describe_other_cluster
from extdns.documents.names import NameState
from extdns.documents.policies import build_policies
from extdns.documents.reason import ReasonDocument, build_reason
from extdns.documents.rules import NO_RULES
from extdns.documents.snapshot import ProcessSnapshot
from extdns.documents.status import KIND_LEVELS, build_names, build_status
from extdns.documents.text import describe_object, escape_line, format_duration, format_time, shorten_field
from extdns.errors import sanitize
from extdns.model.reason import Reason, look_up_meaning
from extdns.model.value import format_count
from extdns.web.api import PREFIX, Api
from extdns.web.query import FILTER_PARAMETERS, PAGE_PARAMETERS, Query, RequestError
from extdns.web.response import Response

_HERE: Final = Path(__file__).parent
_HTML: Final = "text/html; charset=utf-8"
_ASSETS: Final = {
    "/page.css": "text/css; charset=utf-8",
    "/page.js": "text/javascript; charset=utf-8",
    "/icon.svg": "image/svg+xml",
}
_ROWS: Final = 50
_MAX_OPTIONS: Final = 500
"""The most rules to choose from: a policy server can name a rule of its own for each record."""
_AGES: Final = ("10m", "1h", "1d", "7d", "30d")
_MAX_DEPTH: Final = 100
_CODE: Final = re.compile(rf"\[({'|'.join(Reason)})\]")
_LEADERS: Final = {
    "": "no leader election",
    "leader": "this replica is the leader",
    "standby": "this replica is a standby",
}
_RULE: Final = re.compile(r"rule (\S+) (?=allows it|DENIES it|warns|counts it)")
AREAS: Final = {
    "/": "Names",
    "/zones": "Zones",
    "/sources": "Sources",
    "/changes": "Changes",
    "/policies": "Policies",
}


class HtmlPages:
    """Render the documents of the JSON API as HTML."""

    def __init__(self, config: Config, api: Api) -> None:
        """Render the documents of *api*. Templates and `assets`, the responses by their paths, are read once."""
        self._config = config
        self._api = api
        self.assets = {
            path: Response(body=(_HERE / "static" / path[1:]).read_bytes(), content_type=kind)
            for path, kind in _ASSETS.items()
        }
        self._templates = _load_templates()

    def build_page(self, live: ProcessSnapshot, path: str, query: str, address: str) -> Response:
        """Build the page at *path* of the process that the client reached at *address*.

        Raises:
            RequestError: the query is invalid, or there is no such page.
        """
        match path:
            case "/":
                return self._build_names_page(live, query, address)
            case "/name":
                return self._build_name_page(live, query, address)
            case "/policies":
                return self._build_policies_page(live, query, address)
            case "/zones" | "/sources" | "/changes":
                Query.parse(query, ())
                document = self._api.build_document(live, path[1:], "", address)
                return self._render(f"{path[1:]}.html", live, path, address, document=document)
            case "/reasons":
                Query.parse(query, ())
                return self._render("reasons.html", live, path, address, groups=_group_reasons())
            case _:
                known = ", ".join((*AREAS, "/name?of=NAME", "/reasons", PREFIX))
                raise RequestError(f"{sanitize(path)} not found; available: {known}", HTTPStatus.NOT_FOUND)

    def build_error_page(
        self, live: ProcessSnapshot, path: str, address: str, status: HTTPStatus, message: str
    ) -> Response:
        """Build the page that reports that the request for *path* was refused with *status*, and why.

        Unlike the other pages it can be at any depth, so it has its own relative path to the root.
        """
        root = "../" * min(path.count("/") - 1, _MAX_DEPTH)
        page = self._render("error.html", live, "", address, root=root, error=status, message=message)
        return replace(page, status=status)

    def _build_names_page(self, live: ProcessSnapshot, query: str, address: str) -> Response:
        parsed = Query.parse(query, (*FILTER_PARAMETERS, *PAGE_PARAMETERS))
        most = parsed.parse_limit(_ROWS)
        found = live.names.find_page(parsed.build_name_query(live.at), parsed.get("after", ""), most)
        filters = {name: parsed[name] for name in (*FILTER_PARAMETERS, "limit") if name in parsed}
        return self._render(
            "names.html",
            live,
            "/",
            address,
            document=build_names(live, found),
            query=parsed,
            first=_address(filters) if found.before is not None else None,
            before=_address(filters | {"after": found.before}) if found.before is not None else None,
            after=_address(filters | {"after": found.after}) if found.after is not None else None,
            by_state={state: _address(filters | {"state": state.value}) for state in NameState},
            ages=_AGES,
            zones=sorted({entry.zone.name for entry in live.engine.zones}),
            sources=sorted({source for source, _ in live.engine.claims.list_sources_and_objects()}),
            rules=sorted({rule for rule, _ in live.rule_results})[:_MAX_OPTIONS],
            reasons=sorted(reason for reason, number in live.engine.decisions.reasons.items() if number),
        )

    def _build_name_page(self, live: ProcessSnapshot, query: str, address: str) -> Response:
        parsed = Query.parse(query, ("of",))
        if "of" not in parsed:
            raise RequestError("name?of=NAME requires a name")
        document = self._api.build_name_document(live, parsed["of"], address)
        return self._render(
            "name.html",
            live,
            "/name",
            address,
            command=format_command(f"explain {document.name}", document.process),
            facts=document,
            meaning=look_up_meaning(document.reason or ""),
            sections=tuple(build_sections(document)),
            next_step=suggest_next_step(document),
        )

    def _build_policies_page(self, live: ProcessSnapshot, query: str, address: str) -> Response:
        parsed = Query.parse(query, PAGE_PARAMETERS)
        # many on one page, because the page about a name links to the row of each rule
        document = build_policies(live, self._config, parsed.get("after", ""), parsed.parse_limit(_MAX_OPTIONS))
        after = {"limit": parsed["limit"]} if "limit" in parsed else {}
        return self._render(
            "policies.html",
            live,
            "/policies",
            address,
            document=document,
            has_former="after" in parsed,
            after=f"policies?{urlencode(after | {'after': document.after})}" if document.after is not None else None,
        )

    def _render(self, template: str, live: ProcessSnapshot, path: str, address: str, **more: object) -> Response:
        process = self._api.describe_process(live, address)
        has_rules = live.rules != NO_RULES
        values: dict[str, object] = {
            "path": path,
            "areas": AREAS if has_rules else {area: name for area, name in AREAS.items() if area != "/policies"},
            "has_rules": has_rules,
            "root": "",
            "title": AREAS.get(path, ""),
            "status": build_status(live, self._config),
            "held": build_held(live, self._config),
            "at": live.at,
            "age_s": live.age_s,
            "process": describe_process(process),
            "leader": _LEADERS[process.role],
            "burst": self._config.control.api_burst,
        }
        body = self._templates.get_template(template).render(values | more)
        return Response(body=body.encode("utf-8", "backslashreplace"), content_type=_HTML)


@cache
def _load_templates() -> Environment:
    templates = Environment(
        loader=FileSystemLoader(_HERE / "templates"),
        autoescape=True,
        auto_reload=False,
        finalize=_finalize,
        lstrip_blocks=True,
        trim_blocks=True,
        undefined=StrictUndefined,
    )
    templates.filters |= {
        "address": _address,
        "age": _age,
        "counted": format_count,
        "explained": _explained,
        "field": shorten_field,
        "linked": _linked,
        "other_cluster": describe_other_cluster,
        "place": describe_object,
        "time": _time,
    }
    templates.globals |= {
        "kind_levels": KIND_LEVELS,
        "meanings": {reason: reason.row.text for reason in Reason},
        "outcome_levels": OUTCOME_LEVELS,
        "states": {state: state.meaning for state in NameState},
    }
    return templates


def _finalize(value: object) -> object:
    """Escape unprintable characters in *value* if it is a string, before a template displays it."""
    return escape_line(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _address(parameters: Mapping[str, str]) -> Markup:
    return escape(f".?{urlencode(parameters)}" if parameters else ".")


def _explained(name: str) -> Markup:
    return escape(f"name?{urlencode({'of': name})}")


def _linked(line: str) -> Markup:
    """Render *line* with links: from reason codes in brackets to their explanations, from a rule to its list entry."""
    text = escape(escape_line(line))
    if found := _RULE.match(line):
        name = escape(escape_line(found[1]))
        text = Markup('rule <a href="policies#rule-{0}">{0}</a>{1}').format(name, escape_line(line[found.end(1) :]))
    link = r'<a class="code" href="reasons#\1">[\1]</a>'
    return Markup(_CODE.sub(link, str(text)))  # noqa: S704 - escaped before


def _group_reasons() -> dict[str, list[ReasonDocument]]:
    groups: dict[str, list[ReasonDocument]] = {}
    for reason in Reason:
        groups.setdefault(reason.row.group.value, []).append(build_reason(reason))
    return groups


def _age(since: datetime, now: datetime) -> Markup:
    form = Markup('<time datetime="{0:%Y-%m-%dT%H:%M:%SZ}" title="{1}">{2}</time>')
    return form.format(since, format_time(since), format_duration((now - since).total_seconds()))


def _time(at: datetime, now: datetime) -> Markup:
    form = Markup('<time datetime="{0:%Y-%m-%dT%H:%M:%SZ}">{0:%Y-%m-%d %H:%M:%S} UTC</time> <span>{1}</span>')
    left_s = (at - now).total_seconds()
    return form.format(at, f"in {format_duration(left_s)}" if left_s >= 1 else f"{format_duration(-left_s)} ago")
