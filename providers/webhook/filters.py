"""The domain filter that a webhook negotiates, and the zones that follow from it (docs/design/webhook.md, "Zones")."""

from __future__ import annotations

from collections.abc import Iterable

from extdns.errors import InvalidValueError, UsageError, sanitize
from extdns.flags.regex import Regex, parse_regex
from extdns.model.dns_name import DnsName
from extdns.model.selection import DomainFilter, parse_suffixes
from extdns.model.zone import Zone
from providers.webhook.wire import FilterDocument


def parse_filter(document: FilterDocument) -> DomainFilter:
    """Return the filter of *document*.

    Raises:
        ValueError: a pattern is invalid, or RE2, which finds them, is not installed.
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


def _compile(text: str, field: str) -> Regex | None:
    try:
        return parse_regex(text)
    except (ValueError, UsageError) as exc:
        raise ValueError(f"invalid {field} {sanitize(text)!r}: {sanitize(str(exc))}") from exc
