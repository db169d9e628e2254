"""The JSON API: which document is served at which path below `/api/v1/` (docs/reference/openapi.json)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from extdns.errors import InvalidValueError, UsageError, shown
from extdns.facts.areas import (
    changes_facts,
    names_facts,
    sources_facts,
    status_facts,
    zones_facts,
)
from extdns.facts.document import VERSION, Facts, json_text
from extdns.facts.held import held_facts
from extdns.facts.name import name_facts
from extdns.facts.object import object_facts_of
from extdns.facts.plan import running_plan
from extdns.model.name import DnsName
from extdns.web.answer import Answer
from extdns.web.query import WISHES, BadRequestError, Query

if TYPE_CHECKING:
    from extdns.config import Config
    from extdns.facts.live import Live
    from extdns.facts.name import NameFacts
    from extdns.model.apibudget import ApiBudget

PREFIX: Final = "/api/v1/"
_ROWS: Final = 100
_NAMES: Final = "names/"
_OBJECTS: Final = "objects/"


class NotThereError(Exception):
    """Nothing is served at the path; the text says what is."""


class Api:
    """Answers what is asked of one moment of the process."""

    def __init__(self, config: Config, budgets: Callable[[], Iterable[ApiBudget]]) -> None:
        """Speak of a process that runs as *config* says; *budgets* tells which calls it may make."""
        self._config = config
        self._documents: Mapping[str, Callable[[Live], Facts]] = {
            "status": status_facts,
            "zones": lambda live: zones_facts(live, config, budgets()),
            "sources": sources_facts,
            "changes": changes_facts,
            "held": lambda live: held_facts(live, config),
            "plan": lambda live: running_plan(live, config),
        }

    def document(self, live: Live, path: str, query: str) -> Facts:
        """The document at *path*, which begins behind `PREFIX`.

        Raises:
            BadRequestError: the path or the query is wrong.
            NotThereError: there is no such document.
        """
        if path == "names":
            asked = Query.parse(query, (*WISHES, "after", "limit"))
            return names_facts(live, live.names.part(asked.wish(live.at), asked.get("after", ""), asked.most(_ROWS)))
        Query.parse(query, ())
        if path.startswith(_NAMES):
            return self.name(live, path.removeprefix(_NAMES))
        if path.startswith(_OBJECTS):
            return _object(live, path.removeprefix(_OBJECTS))
        if path not in self._documents:
            known = ", ".join(sorted((*self._documents, "names", "names/NAME", "objects/KIND/NAMESPACE/NAME")))
            raise NotThereError(f"there is no {PREFIX}{shown(path)}; there are: {known}")
        return self._documents[path](live)

    def name(self, live: Live, text: str) -> NameFacts:
        """What is known of the name *text*, whether or not anybody asks for it.

        Raises:
            BadRequestError: it is no name.
        """
        try:
            name = DnsName.parse(text)
        except InvalidValueError as exc:
            raise BadRequestError(f"{shown(text)} is not a name; allowed: {exc.allowed}") from exc
        return name_facts(
            live.seen,
            name,
            self._config,
            zones_known=len(live.seen.zones),
            missing=live.seen.missing,
            live=live,
        )


def _object(live: Live, text: str) -> Facts:
    try:
        return object_facts_of(live.seen, text, live.seen.missing, live)
    except UsageError as exc:
        raise NotThereError(str(exc).replace("\n", ";")) from exc


def answer(document: Facts) -> Answer:
    """*document* as JSON."""
    return Answer(body=json_text(document).encode(), content_type="application/json")


def failure(status: HTTPStatus, message: str) -> Answer:
    """Why there is no document, as JSON."""
    body = json_text({"apiVersion": VERSION, "kind": "Error", "message": message})
    return Answer(status=status, body=body.encode(), content_type="application/json")
