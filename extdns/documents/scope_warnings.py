"""Warn if filters, paths or sources leave nothing, or not everything, to plan (docs/design/messages.md)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from extdns.config import Config, list_settings
from extdns.documents.document import Document
from extdns.documents.text import SWITCHES_TO_SET, join_first, suggest_for_exclusion
from extdns.engine.scope import PassScope
from extdns.errors import escape_unprintable, find_similar, sanitize
from extdns.flags.sources import REFERENCE_PREFIX
from extdns.flags.specs import PROVIDER_SPECS, SOURCE_SPECS
from extdns.flags.unchecked_kinds import DOMAIN
from extdns.model.dns_name import DnsName
from extdns.model.selection import parse_suffixes
from extdns.model.value import format_count

_MAX_NAMES: Final = 5
_MIN_SIMILARITY: Final = 0.8  # more than a common ending, such as .com
_GENERATED: Final = frozenset({"empty", "fake", "connector"})
"""Sources that read no objects."""

_ZONE_FILTERS: Final = (
    "domain-filter",
    "exclude-domains",
    "regex-domain-filter",
    "regex-domain-exclusion",
    "zone-id-filter",
    "aws-zone-type",
    "aws-zone-tags",
    "google-zone-visibility",
)
_NAME_FILTERS: Final = (*_ZONE_FILTERS[:4], "managed-record-types", "exclude-record-types")


class ScopeWarning(Document, frozen=True):
    """A warning that what was read does not fit the settings, such as a filter that matches no zone.

    `text` is the warning, `next` what to do about it. `leaves_nothing` is true if therefore no name can be planned.
    """

    text: str
    next: str
    leaves_nothing: bool


def find_scope_warnings(config: Config, scope: PassScope) -> tuple[ScopeWarning, ...]:
    """Return the warnings about *scope*: about zones, documents, objects and names."""
    return (
        *_check_zones(config, scope),
        *_check_documents(scope),
        *_check_objects(config, scope),
        *_check_names(config, scope),
    )


def find_plan_warnings(config: Config, scope: PassScope) -> tuple[ScopeWarning, ...]:
    """Return the warnings about a plan: those of `find_scope_warnings`, and that manifests lack statuses."""
    found = find_scope_warnings(config, scope)
    if not (config.cluster.manifests and scope.without_status):
        return found
    requests = format_count(scope.without_status, "request")
    stateless = ScopeWarning(
        text=f"no change can be planned for {requests}: the manifests have no status with an address or acceptance",
        next="add the status, or plan with that of the cluster: --with-cluster or --cluster-snapshot=FILE",
        leaves_nothing=False,
    )
    return (*found, stateless)


def _check_zones(config: Config, scope: PassScope) -> Iterator[ScopeWarning]:
    if not scope.knows_zones:
        return
    misses = list(_check_domain_filter(config, scope))
    yield from misses
    if not scope.zones and not misses:
        yield _build_no_zone(config, scope)


def _check_domain_filter(config: Config, scope: PassScope) -> Iterator[ScopeWarning]:
    """Yield a warning for each value of `--domain-filter` that fits none of the zones, excluded zones included."""
    plan, zones = config.plan, sorted({*scope.zones, *scope.excluded_zones})
    if plan.regex_domain_filter or plan.regex_domain_exclusion or not zones:
        return
    values = [(value, suffix) for value in plan.domain_filter for suffix in parse_suffixes((value,))]
    missed = [(value, suffix.removeprefix(".")) for value, suffix in values if not _overlaps(suffix, zones)]
    for value, suffix in missed:
        if DOMAIN.is_effective(value):  # otherwise the flag itself has a warning
            near = find_similar(suffix, zones, _MIN_SIMILARITY)
            yield ScopeWarning(
                text=f"--domain-filter={sanitize(value)} matches none of your zones: {join_first(zones, _MAX_NAMES)}",
                next=f"did you mean: --domain-filter={near}"
                if near
                else "give the name of a zone or of a domain in it",
                leaves_nothing=len(missed) == len(values),
            )


def _overlaps(suffix: str, zones: Iterable[str]) -> bool:
    """Return whether any of *zones* can hold a name that ends with *suffix*, a value of `--domain-filter`."""
    domain = suffix.removeprefix(".")
    return any(DnsName(zone).within(domain) or domain.endswith(f".{zone}") for zone in zones)


def _build_no_zone(config: Config, scope: PassScope) -> ScopeWarning:
    if scope.excluded_zones:
        text = f"the filters exclude every zone that was found: {join_first(scope.excluded_zones, _MAX_NAMES)}"
        return ScopeWarning(text=text, next=suggest_zone_filters(config), leaves_nothing=True)
    provider = PROVIDER_SPECS.load(config.control.provider)
    text, remedy = provider.no_zones(provider.find_flags(config))
    if config.plan.zone_id_filter:
        remedy = suggest_zone_filters(config)
    return ScopeWarning(text=text, next=remedy, leaves_nothing=True)


def suggest_zone_filters(config: Config) -> str:
    """Return what to do if the filters exclude a zone."""
    switch = PROVIDER_SPECS.load(config.control.provider).parent_zone_switch
    parent = f", or add --{switch}, to manage the zones above it, too" if switch and config.plan.domain_filter else ""
    return f"check {_list_flags(config, _ZONE_FILTERS)}{parent}"


def _check_documents(scope: PassScope) -> Iterator[ScopeWarning]:
    more = len(scope.ignored_documents) - _MAX_NAMES
    for at, message in enumerate(scope.ignored_documents[:_MAX_NAMES], start=1):
        others = f"; likewise {format_count(more, 'other document')}" if more > 0 and at == _MAX_NAMES else ""
        text, _, remedy = message.partition("\n") if "\n" in message else message.rpartition("; ")
        yield ScopeWarning(text=f"{text}{others}", next=remedy, leaves_nothing=False)


def _check_objects(config: Config, scope: PassScope) -> Iterator[ScopeWarning]:
    sources = [name for name in config.sources.names if name not in _GENERATED]
    if not sources or not scope.knows_objects or scope.requests_names:
        return
    flags = " ".join(f"--source={name}" for name in sources)
    if scope.objects:
        yield _build_no_name(config, scope)
        return
    paths = " ".join(f"--manifests={escape_unprintable(path)}" for path in config.cluster.manifests)
    filters = _list_flags(config, ("namespace", "label-filter", "annotation-filter"))
    yield ScopeWarning(
        text=f"no object was read from {paths or 'the cluster'} for {flags}",
        next=f"check {'the path and ' if paths else ''}--source{f', and {filters}' if filters else ''}"
        + ("; in a folder, files that end in .yaml, .yml or .json are read" if paths else ""),
        leaves_nothing=True,
    )


def explain_requests(config: Config, sources: Iterable[str]) -> str:
    """Return how objects that *sources* read request a name, as a clause."""
    specs = [SOURCE_SPECS.load(name) for name in sources if name not in _GENERATED]
    annotated = any(spec.hostname_annotations for spec in specs)
    annotation = f"the annotation {config.sources.annotation_prefix or REFERENCE_PREFIX}hostname"
    ways = dict.fromkeys([annotation] * annotated + [spec.host_field for spec in specs if spec.host_field])
    return f"a name is requested by {', or by '.join(ways)}"


def _build_no_name(config: Config, scope: PassScope) -> ScopeWarning:
    if flags := scope.excluding_flags:
        read = format_count(scope.objects, "object was", "objects were")
        by = ", ".join(flags)
        text = f"{read} read, and no requested name is left: some objects or names are excluded by {by}"
        remedy = "; ".join(map(suggest_for_exclusion, flags))
    else:
        read = format_count(scope.objects, "object was read, and it requests", "objects were read, and none requests")
        text = f"{read} a name" if scope.objects > 1 else f"{read} no name"
        remedy = explain_requests(config, config.sources.names)
    explain = "to see why an object requests none: extdns explain KIND/NAMESPACE/NAME [flags]"
    leaves_nothing = not SWITCHES_TO_SET.issuperset(scope.excluding_flags)  # a filter excludes them, as it may names
    return ScopeWarning(text=text, next=f"{remedy}; {explain}", leaves_nothing=leaves_nothing)


def _check_names(config: Config, scope: PassScope) -> Iterator[ScopeWarning]:
    if scope.excluded_names and not (scope.knows_zones and any(_check_domain_filter(config, scope))):
        yield ScopeWarning(
            text=f"the filters exclude every requested name: {join_first(scope.excluded_names, _MAX_NAMES)}",
            next=f"check {_list_flags(config, _NAME_FILTERS)}",
            leaves_nothing=True,
        )


def _list_flags(config: Config, names: Sequence[str]) -> str:
    """Return the arguments for those of the flags *names* whose value in *config* is not the default."""
    arguments = [
        sanitize(argument)
        for flag, value in list_settings(config)
        if flag.name in names and value != flag.default
        for argument in flag.format_arguments(value, masked=True)
    ]
    return " ".join(arguments)
