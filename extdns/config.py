"""The configuration: the values of all flags, in typed and frozen sections."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from extdns.flags import parser, validation
from extdns.flags.flag import Flag, FlagSection
from extdns.flags.process import ClusterFlags
from extdns.flags.records import DeleteFlags
from extdns.flags.table import PROVIDER_SECTIONS, SECTIONS, Sections


@dataclass(frozen=True, slots=True, kw_only=True)
class Config(Sections):
    """The whole configuration.

    Attributes:
        min_refresh_interval_s: the shortest time between two refreshes of a zone, from the cache flags; 0 for none.
        notices: a line for each set flag that extdns ignores, or that should be renamed or removed; logged once.
        warnings: messages of two lines about unknown variables and, without `--compat`, about values without effect.
    """

    providers: tuple[FlagSection, ...]
    min_refresh_interval_s: float = 0.0
    notices: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def parse(argv: Sequence[str], environ: Mapping[str, str]) -> Config:
    """Read arguments and environment, after `extdns.flags.parser.find_requested_text` (`--help`, `--version`)."""
    settings = parser.parse_settings(argv, environ)
    values = parser.apply_defaults(settings)
    validation.validate(values)
    validation.check_support(settings, values)
    sections: dict[str, Any] = {name: section.from_values(values) for name, section in SECTIONS.items()}
    return Config(
        **sections,
        providers=tuple(section.from_values(values) for section in PROVIDER_SECTIONS),
        min_refresh_interval_s=validation.min_refresh_interval_s(settings, values),
        notices=validation.find_notices(settings, values),
        warnings=(*parser.find_unknown_variables(environ), *validation.find_warnings(settings, values)),
    )


def parse_state_flags(argv: Sequence[str], environ: Mapping[str, str]) -> tuple[ClusterFlags, DeleteFlags]:
    """Read only the sections that name the state store. Required flags such as `--source` may be missing."""
    values = parser.apply_defaults(parser.parse_settings(argv, environ))
    return ClusterFlags.from_values(values), DeleteFlags.from_values(values)


def list_settings(config: Config) -> Iterator[tuple[Flag, object]]:
    """Return every flag with its value, in the order of the fields."""
    sections: tuple[FlagSection, ...] = (*(getattr(config, name) for name in SECTIONS), *config.providers)
    return (setting for section in sections for setting in section.list_settings())
