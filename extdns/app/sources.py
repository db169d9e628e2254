"""Build the sources of `--source`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

from extdns.app.cluster import find_requested_kinds
from extdns.app.provider import load_provider
from extdns.app.source_specs import load_specs
from extdns.config import Config
from extdns.flags.sources import SOURCES
from extdns.model import rrtype
from extdns.model.kind import Kind, KubernetesObject
from extdns.ports import Source
from extdns.sources.common.annotations import choose_prefixes
from extdns.sources.common.claim_builder import NO_TEMPLATES, SourceSettings, Templates
from extdns.sources.common.claim_stages import (
    ClaimStage,
    DefaultTargetsStage,
    Nat64Stage,
    TargetNetworkStage,
    WarningStage,
    parse_default_targets,
    parse_nat64_networks,
    parse_target_networks,
    validate_claim,
    warn_about_record_type,
)
from extdns.sources.common.spec import KindSource


def build_sources(config: Config) -> tuple[KindSource, ...]:
    """Build the sources of `--source`, in the order given, each once; for some, one for each kind that flags select."""
    settings, stages = _build_settings(config), tuple(_build_stages(config))
    discover = partial(find_requested_kinds, config)
    return tuple(source for spec in load_specs(config) for source in spec.build(settings, stages, discover))


def build_observed_sources(config: Config) -> tuple[Source, ...]:
    """Build the sources of `--source` and, if rules are configured, one that reads namespaces for them."""
    if not config.rules.has_rules:
        return build_sources(config)
    from extdns.sources.common.namespace import NamespaceSource

    return (*build_sources(config), NamespaceSource())


def build_generated_objects(config: Config) -> Mapping[Kind, Sequence[KubernetesObject]]:
    """Return the objects that sources generate, by kind."""
    return {
        kind: spec.generate(parse_templates(config))
        for spec in load_specs(config)
        if spec.generate is not None
        for kind in spec.find_kinds(config.sources)
    }


def list_read_kinds(config: Config) -> Mapping[Kind, bool]:
    """Return the kinds that sources list and watch in the cluster, and whether single objects are read by name, too.

    Objects are read by name to check whether the resource of a record is gone, so only those that records name.
    """
    sources = [source for source in build_sources(config) if source.spec.generate is None]
    found: dict[Kind, bool] = {}
    for source in sources:
        found[source.kind] = found.get(source.kind, False) or source.spec.is_named(compat=config.control.compat)
    for source in sources:
        for kind in source.spec.find_lookups(config.sources):
            found.setdefault(kind, False)
    return found


def map_kinds_by_label(found: Iterable[Source]) -> Mapping[str, Kind]:
    """Map the first part of `resource` labels to the kinds that *found* read.

    A label that two kinds share maps to neither of them: otherwise an object of one kind could count as deleted because
    the other kind has no such object. Such kinds are in the result under keys that no ownership record contains.
    """
    kinds_by_label: dict[str, dict[Kind, None]] = {}
    for source in found:
        for label in _list_labels(source):
            kinds_by_label.setdefault(label, {})[source.kind] = None
    result: dict[str, Kind] = {}
    for label, kinds in kinds_by_label.items():
        for kind in kinds:
            result[label if len(kinds) == 1 else f"{kind.plural}.{kind.api_version}"] = kind
    return result


def _list_labels(source: Source) -> tuple[str, ...]:
    """Return the names that `resource` labels use for the source's kind; `unstructured` uses the kind's own, too."""
    kind = source.kind
    return (kind.label, kind.name.lower()) if source.name == "unstructured" else (kind.label,)


def _build_stages(config: Config) -> Iterator[ClaimStage]:
    """Build the stages that each claim passes through, in the order of docs/spec/sources.md 0.2."""
    chosen = config.sources
    if chosen.default_targets:
        yield DefaultTargetsStage(
            groups=parse_default_targets(chosen.default_targets, lenient=config.control.compat),
            force=chosen.force_default_targets,
        )
    yield partial(validate_claim, lenient=config.control.compat)
    if chosen.nat64_networks:
        yield Nat64Stage(networks=parse_nat64_networks(chosen.nat64_networks))
    # invalid networks were reported as warnings (`extdns.flags.unchecked_kinds`)
    include, _ = parse_target_networks(chosen.target_net_filter)
    exclude, _ = parse_target_networks(chosen.exclude_target_net)
    if include or exclude:
        yield TargetNetworkStage(include=include, exclude=exclude)
    if rrtype.PTR in config.plan.managed_record_types:
        yield warn_about_record_type
    provider = load_provider(config)
    yield WarningStage(
        provider=provider.name,
        properties=provider.list_properties(config),
        find_allowed=provider.find_allowed,
        lenient=config.control.compat,
    )


def _build_settings(config: Config) -> SourceSettings:
    return SourceSettings(
        flags=config.sources,
        namespace=config.cluster.namespace,
        prefixes=choose_prefixes(config.sources, compat=config.control.compat),
        compat=config.control.compat,
        reads_manifests=bool(config.cluster.manifests),
        templates=parse_templates(config),
    )


def parse_templates(config: Config) -> Templates:
    """Parse the templates of the flags."""
    chosen = config.sources
    if not (chosen.fqdn_template or chosen.fqdn_target_template or chosen.target_template):
        return NO_TEMPLATES
    from extdns.gotemplate.template import Template

    names = tuple(dict.fromkeys((*SOURCES, *chosen.names)))
    return Templates(
        fqdn=Template.parse("--fqdn-template", chosen.fqdn_template, names),
        fqdn_target=Template.parse("--fqdn-target-template", chosen.fqdn_target_template, names),
        target=Template.parse("--target-template", chosen.target_template, names),
        combine=chosen.combine_fqdn_annotation,
    )
