"""List the sections, and every flag by topic and by name: those of the sections, and those of reference.tsv."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from importlib import import_module
from pathlib import Path
from typing import Any, Final, get_type_hints

from extdns.flags.duration import DURATION
from extdns.flags.flag import Flag, FlagSection, Support
from extdns.flags.kind import (
    BOOLEAN,
    KEY_VALUE,
    NUMBER,
    URL,
    ValueKind,
    make_choice_kind,
    make_number_kind,
    make_text_kind,
)
from extdns.flags.process import ClusterFlags, ControlFlags, ElectionFlags, LogFlags, WebFlags
from extdns.flags.records import DeleteFlags, PlanFlags, RegistryFlags
from extdns.flags.rules import RuleFlags
from extdns.flags.sources import SourceFlags


@dataclass(frozen=True, slots=True, kw_only=True)
class Sections:
    """The values of all flags but those of the providers. The topics of the flags have the order of the fields."""

    control: ControlFlags
    cluster: ClusterFlags
    sources: SourceFlags
    plan: PlanFlags
    rules: RuleFlags
    deletes: DeleteFlags
    election: ElectionFlags
    registry: RegistryFlags
    log: LogFlags
    web: WebFlags


SECTIONS: Final[Mapping[str, type[FlagSection]]] = get_type_hints(Sections)
PROVIDER_SECTIONS: Final[tuple[type[FlagSection], ...]] = tuple(
    import_module(f"providers.{path.parent.name}.flags").SECTION
    for path in sorted(Path(__file__).parents[2].glob("providers/*/flags.py"))
)
"""The sections of our providers, by name. An import statement would name each of them, and packages above this one."""
_TEXTS: Final = {"help": "print the flags and exit", "version": "print the version and exit"}
_KINDS: Final[Mapping[str, ValueKind[Any]]] = {
    "switch": BOOLEAN,
    "DURATION": DURATION,
    "KEY=VALUE": KEY_VALUE,
    "N": NUMBER,
    "N from 1": make_number_kind(least=1),
    "URL": URL,
}


def _read_reference() -> Iterator[Flag]:
    """Read the flags of external-dns that have no section, because this version only accepts or refuses them."""
    for topic, name, value, default, scope, support, notice, text in _read_rows("reference.tsv"):
        kind = _read_kind(value.removeprefix("secret "))
        chosen, _, choices = scope.partition("=")
        scopes: dict[str, Any] = {chosen: tuple(choices.split(","))} if chosen else {}
        yield Flag(
            name=name,
            topic=topic,
            help=text,
            kind=kind,
            default=() if default == "()" else kind.parse(default),
            **scopes,
            secret=value.startswith("secret "),
            support=Support.ABSENT if support == "absent" else Support.MOOT,
            notice=notice,
            bounds_refresh=support == "refresh",
        )


def find_replacement(name: str) -> str:
    """Return what to do instead of the flag *name*, which an earlier external-dns had; "" if none had it."""
    rows = _read_rows("removed.tsv")
    return next((advice for names, advice in rows if any(fnmatchcase(name, one) for one in names.split())), "")


def _read_rows(file: str) -> Iterator[list[str]]:
    for line in Path(__file__).with_name(file).read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            yield line.split("\t")


def _read_kind(text: str) -> ValueKind[Any]:
    """Read a kind of value: a name, `METAVAR` for any text, or `METAVAR, noun: choice|choice`."""
    if text in _KINDS:
        return _KINDS[text]
    metavar, _, described = text.partition(", ")
    noun, _, choices = described.partition(": ")
    return make_choice_kind(noun, *choices.split("|"), metavar=metavar) if choices else make_text_kind(metavar)


def _list_flags() -> Iterator[Flag]:
    for name, text in _TEXTS.items():
        yield Flag(name=name, topic="What runs, and when", help=text, kind=BOOLEAN, default=False, environment=False)
    for section in (*SECTIONS.values(), *PROVIDER_SECTIONS):
        yield from section.rows.values()
    yield from _read_reference()


_ALL: Final = tuple(_list_flags())
TOPICS: Final = tuple(dict.fromkeys(flag.topic for flag in _ALL))
FLAGS: Final = tuple(sorted(_ALL, key=lambda flag: TOPICS.index(flag.topic)))
BY_NAME: Final = {flag.name: flag for flag in FLAGS}
