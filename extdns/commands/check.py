"""`extdns check`: whether credentials, rights and ways are there, by calls that only read.

The schema of what it says to programs: `python -m extdns.commands.check > docs/reference/check.schema.json`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final, Literal

from extdns.app.clusters import CLUSTERLESS, is_live
from extdns.app.grants import grants
from extdns.app.rights import rights
from extdns.app.sources import sources
from extdns.commands.forms import show_facts
from extdns.commands.onepass import look, single_pass
from extdns.commands.options import output_of
from extdns.controller.ending import DONE, FAILED
from extdns.errors import ApiError
from extdns.facts.document import VERSION, Facts, Version, schema_text
from extdns.facts.holding import holdings
from extdns.facts.printable import printable
from extdns.model.quantity import count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from extdns.commands.onepass import Pass
    from extdns.config import Config
    from extdns.model.cluster import Kind
    from extdns.model.zone import Zone

HELP: Final = """\
Usage: extdns check [flags] [--output=text|json]

Tests what extdns needs, with calls that only read: whether the API server can be reached and grants the rights that the
flags need, reading and writing (it is asked: SelfSubjectAccessReview), whether all kinds of objects can be listed, and
whether the DNS service takes the credentials, lists zones and lets them be read. Nothing is written.

Whether a zone may be changed is told by the service's word where there is one, and as unknown, with the reason, where
only a change could tell. Flags and variables are those of extdns itself. The exit code is 0 if nothing is missing, and
else 1.
"""
State = Literal["ok", "missing", "unknown"]
_STATES: Final[Mapping[bool | None, State]] = {True: "ok", False: "missing", None: "unknown"}


class CheckedFacts(Facts, frozen=True):
    """One thing that is needed; next is what to do about it, "" if nothing is."""

    what: str
    state: State
    detail: str
    next: str


class CheckFacts(Facts, frozen=True):
    """Everything that was tested, in the order of the tests."""

    api_version: Version
    kind: Literal["Check"]
    checks: tuple[CheckedFacts, ...]


def main(arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    """Test, and tell what is missing; returns the exit code.

    Raises:
        UsageError: a flag is wrong, or something that it names cannot be used.
    """
    output, flags = output_of(arguments)
    config = single_pass(flags, environ)
    made = look(config)
    checks = (*_rights(config), *_read(made), *_writing(config, [one.zone for one in made.engine.zones]))
    facts = CheckFacts(api_version=VERSION, kind="Check", checks=checks)
    show_facts(facts, map(printable, _lines(facts)), output)
    return FAILED if any(one.state == "missing" for one in checks) else DONE


def _rights(config: Config) -> Iterator[CheckedFacts]:
    if not is_live(config):
        return
    try:
        for right, there in rights(config, _kinds(config)):
            remedy = "" if there else f"grant {right} to the service account, as the chart does"
            yield CheckedFacts(what=f"right to {right}", state=_STATES[there], detail="", next=remedy)
    except ApiError as exc:
        yield CheckedFacts(
            what="API server", state="missing", detail=str(exc), next="see --kubeconfig, --server, and the network"
        )


def _kinds(config: Config) -> list[Kind]:
    """The kinds that sources start from, without those that exist nowhere."""
    return [source.kind for source in sources(config) if source.name not in CLUSTERLESS]


def _read(made: Pass) -> Iterator[CheckedFacts]:
    for zone, holding in sorted(holdings(made.engine).items()):
        counted = f"{count(holding.records, 'record')} read, {holding.ours} ours"
        yield CheckedFacts(what=f"zone {zone}", state="ok", detail=counted, next="")
    if not made.missing and not list(made.engine.zones):
        yield CheckedFacts(
            what="zones",
            state="missing",
            detail="the credentials are accepted, and no zone passes the filters",
            next="see --domain-filter, --zone-id-filter and the filters of the provider",
        )
    seen = len({key for key, _ in made.engine.claims.objects()})
    yield CheckedFacts(what="objects", state="ok", detail=f"{count(seen, 'object')} read", next="")
    for sentence in made.missing:
        yield CheckedFacts(what="reading", state="missing", detail=sentence, next="the message says what is lacking")


def _writing(config: Config, zones: Iterable[Zone]) -> Iterator[CheckedFacts]:
    for zone, grant in grants(config, sorted(zones)):
        what = f"right to change zone {zone}"
        yield CheckedFacts(what=what, state=_STATES[grant.granted], detail=grant.detail, next=grant.remedy)


def _lines(facts: CheckFacts) -> Iterator[str]:
    for one in facts.checks:
        yield f"{one.state:7}  {one.what}{f': {one.detail}' if one.detail else ''}"
        if one.next:
            yield f"         {one.next}"
    lacking = sum(one.state == "missing" for one in facts.checks)
    yield f"{count(lacking, 'thing')} missing." if lacking else "Nothing is missing."


if __name__ == "__main__":
    sys.stdout.write(schema_text(CheckFacts, "extdns check --output=json"))
