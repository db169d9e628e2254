"""The sources of `--source`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from extdns import log
from extdns.app.sourcetable import TABLE
from extdns.errors import UsageError
from extdns.flags.sources import SOURCES
from extdns.log import Event
from extdns.model import rrtype

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from extdns.config import Config, Sources
    from extdns.model.cluster import Kind
    from extdns.ports import Source
    from extdns.sources.refine import Stage
    from extdns.sources.selection import Selection
    from extdns.sources.templates import Templates

_log = log.get(__name__)


def sources(config: Config) -> tuple[Source, ...]:
    """The sources of `--source`, in its order, each once; raises `UsageError` if one cannot be."""
    from extdns.sources.refine import Refined

    chosen, selection, stages = config.sources, _selection(config), tuple(_stages(config))
    found = [source for name in dict.fromkeys(chosen.names) for source in _named(name, config, selection)]
    by_label(found)  # or marks would not tell what they were made for
    return tuple(Refined(source=source, stages=stages) for source in found)


def by_label(found: Iterable[Source]) -> Mapping[str, Kind]:
    """The kinds that *found* read, by the first part of `resource` labels.

    Raises:
        UsageError: marks would not tell which of two kinds they were made for.
    """
    known: dict[str, Kind] = {}
    for source in found:
        for label in _labels(source):
            other = known.setdefault(label, source.kind)
            if other != source.kind:
                raise UsageError(
                    f"{other.resource} and {source.kind.resource} cannot be told apart: marks say {label} for both"
                    "\n  allowed: one of them; read the other one by another extdns, with another --txt-owner-id"
                )
    return known


def _labels(source: Source) -> tuple[str, ...]:
    """What marks call the kind of *source*; `unstructured` goes by its name, whatever others call it."""
    kind = source.kind
    return (kind.label, kind.name.lower()) if source.name == "unstructured" else (kind.label,)


def _named(name: str, config: Config, selection: Selection) -> Sequence[Source]:
    """The one source of that *name*, or one for each kind that is asked for by a flag."""
    if name == "traefik-proxy":
        return _traefik(config.sources, selection)
    if name != "unstructured":
        return (TABLE[name](config.sources, selection),)
    from extdns.app.resources import asked
    from extdns.sources.unstructured import UnstructuredSource

    return [UnstructuredSource(kind=kind, selection=selection) for kind in asked(config)]


def _traefik(chosen: Sources, selection: Selection) -> Sequence[Source]:
    from extdns.sources.traefik import TraefikSource, kinds

    found = kinds(new=not chosen.traefik_disable_new, legacy=chosen.traefik_enable_legacy)
    if not found:
        raise UsageError("--traefik-disable-new leaves nothing to read\n  give --traefik-enable-legacy")
    return [TraefikSource(kind=kind, selection=selection) for kind in found]


def _stages(config: Config) -> Iterator[Stage]:
    """What every claim passes, in the order of spec sources 0.2; raises `UsageError`."""
    from extdns.sources.defaulttargets import DefaultTargets, grouped
    from extdns.sources.nat64 import Nat64, nat64_networks
    from extdns.sources.pointers import Pointers
    from extdns.sources.refine import validated
    from extdns.sources.targetnets import TargetNets, networks

    chosen = config.sources
    if chosen.default_targets:
        yield DefaultTargets(groups=grouped(chosen.default_targets), force=chosen.force_default_targets)
    yield validated
    if chosen.nat64_networks:
        yield Nat64(networks=nat64_networks(chosen.nat64_networks))
    include, no_network = networks(chosen.target_net_filter)
    exclude, also_none = networks(chosen.exclude_target_net)
    for text in (*no_network, *also_none):
        _log.warning(Event.NETWORK_IGNORED, value=text, allowed="a network as 192.0.2.0/24 or 2001:db8::/32")
    if include or exclude:
        yield TargetNets(include=include, exclude=exclude)
    if rrtype.PTR in config.plan.managed_record_types:
        yield Pointers(enabled=chosen.create_ptr)


def _selection(config: Config) -> Selection:
    from extdns.sources.annotations import PREFIX, prefixes
    from extdns.sources.selection import Selection

    given = config.sources.annotation_prefix
    return Selection(
        namespace=config.cluster.namespace,
        label_filter=config.sources.label_filter,
        annotation_filter=config.sources.annotation_filter,
        prefixes=prefixes(PREFIX if given is None and config.control.compat else given),
        ignore_hostname_annotation=config.sources.ignore_hostname_annotation,
        templates=templates(config),
    )


def templates(config: Config) -> Templates:
    """The templates of the command line; raises `UsageError`."""
    from extdns.sources.templates import NONE, Templates

    chosen = config.sources
    if not (chosen.fqdn_template or chosen.fqdn_target_template or chosen.target_template):
        return NONE
    from extdns.sources.gotemplate.template import Template

    return Templates(
        fqdn=Template.read("--fqdn-template", chosen.fqdn_template, SOURCES),
        fqdn_target=Template.read("--fqdn-target-template", chosen.fqdn_target_template, SOURCES),
        target=Template.read("--target-template", chosen.target_template, SOURCES),
        combine=chosen.combine_fqdn_annotation,
    )
