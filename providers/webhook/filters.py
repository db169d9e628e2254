"""The domain filter that a webhook negotiates, and the zones that follow from it (docs/design/webhook.md, "Zones")."""

from __future__ import annotations

import re
import re._parser as regex_parser  # type: ignore[import-not-found]
from collections.abc import Iterable
from typing import Any, Final

from extdns.errors import InvalidValueError, sanitize
from extdns.flags.regex import parse_regex
from extdns.model.dns_name import DnsName
from extdns.model.selection import DomainFilter, parse_suffixes
from extdns.model.zone import Zone
from providers.webhook.wire import FilterDocument

_MAX_REPEATS: Final = 3
"""The most repetitions in one pattern. Each multiplies the time of a search by the length of the name."""

_REPEATS: Final = frozenset({"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"})


def parse_filter(document: FilterDocument) -> DomainFilter:
    """Return the filter of *document*.

    Raises:
        ValueError: a pattern is invalid, or a search for it could take very long.
    """
    return DomainFilter(
        include=parse_suffixes(document.include or ()),
        exclude=parse_suffixes(document.exclude or ()),
        include_pattern=_compile(document.regex_include, "regexInclude"),
        exclude_pattern=_compile(document.regex_exclude, "regexExclude"),
    )


def find_zones(negotiated: DomainFilter, domains: Iterable[str]) -> tuple[Zone, ...]:
    """Return the zones that *negotiated* includes, sorted.

    If it includes none, return those of *domains*, the values of `--domain-filter`.
    """
    names: set[DnsName] = set()
    for suffix in negotiated.include or parse_suffixes(domains):
        try:
            names.add(DnsName.parse(suffix.removeprefix(".")))
        except InvalidValueError:
            continue  # no name can equal it
    return tuple(Zone(name=name, id=str(name)) for name in sorted(names))


def _compile(text: str, field: str) -> re.Pattern[str] | None:
    try:
        found = parse_regex(text)
        repeats = _count_repeats(regex_parser.parse(found.pattern.pattern)) if found else 0
    except (ValueError, re.error, OverflowError, RecursionError) as exc:
        raise ValueError(f"invalid {field} {sanitize(text)!r}: {sanitize(str(exc))}") from exc
    if repeats > _MAX_REPEATS:
        limit = f"more than {_MAX_REPEATS} repetitions, or one of a group with repetitions or alternatives"
        raise ValueError(f"{field} {sanitize(text)!r} may take very long: {limit}")
    return found.pattern if found else None


def _count_repeats(parsed: Any) -> int:  # noqa: ANN401 - the parser of `re` has no types
    """Return how many repetitions the pattern *parsed* has, more than `_MAX_REPEATS` if a search may take very long.

    It may if a group is repeated that itself contains repetitions or alternatives.
    """
    count = 0
    for operator, argument in parsed:
        inner = sum(_count_repeats(part) for part in _find_parts(argument))
        is_repeat = str(operator) in _REPEATS and argument[1] > 1
        is_ambiguous = is_repeat and _has_choice(argument[2])
        count += inner + is_repeat + (_MAX_REPEATS if is_ambiguous else 0)
    return count


def _has_choice(parsed: Any) -> bool:  # noqa: ANN401 - the parser of `re` has no types
    return any(
        str(operator) in {"BRANCH", *_REPEATS} or any(map(_has_choice, _find_parts(argument)))
        for operator, argument in parsed
    )


def _find_parts(argument: Any) -> list[Any]:  # noqa: ANN401 - the parser of `re` has no types
    """Return the sub-patterns in *argument*, at any depth of lists and tuples."""
    if isinstance(argument, regex_parser.SubPattern):
        return [argument]
    if isinstance(argument, tuple | list):
        return [part for one in argument for part in _find_parts(one)]
    return []
