"""The sources of `--source`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from extdns import log
from extdns.log import Event

if TYPE_CHECKING:
    from extdns.config import Config
    from extdns.ports import Source
    from extdns.sources.selection import Selection

_log = log.get(__name__)


def sources(config: Config) -> tuple[Source, ...]:
    """The sources of `--source`, in its order, each once."""
    from extdns.sources.refine import Refined, validated
    from extdns.sources.targetnets import TargetNets, networks

    include, no_network = networks(config.sources.target_net_filter)
    exclude, also_none = networks(config.sources.exclude_target_net)
    for text in (*no_network, *also_none):
        _log.warning(Event.NETWORK_IGNORED, value=text, allowed="a network as 192.0.2.0/24 or 2001:db8::/32")
    stages = (validated, TargetNets(include=include, exclude=exclude)) if include or exclude else (validated,)
    return tuple(Refined(source=_source(name, config), stages=stages) for name in dict.fromkeys(config.sources.names))


def _source(name: str, config: Config) -> Source:
    chosen = config.sources
    selection = _selection(config)
    match name:
        case "ingress":
            from extdns.sources.ingress import IngressSettings, IngressSource

            return IngressSource(
                settings=IngressSettings(
                    selection=selection,
                    ingress_class=chosen.ingress_class,
                    ignore_ingress_rules_spec=chosen.ignore_ingress_rules_spec,
                    ignore_ingress_tls_spec=chosen.ignore_ingress_tls_spec,
                )
            )
        case _:
            from extdns.sources.service.settings import ServiceSettings, service_types
            from extdns.sources.service.source import ServiceSource

            return ServiceSource(
                settings=ServiceSettings(
                    selection=selection,
                    service_types=service_types(chosen.service_type_filter),
                    publish_internal_services=chosen.publish_internal_services,
                    publish_host_ip=chosen.publish_host_ip,
                    always_publish_not_ready_addresses=chosen.always_publish_not_ready_addresses,
                    exclude_unschedulable=chosen.exclude_unschedulable,
                    expose_internal_ipv6=chosen.expose_internal_ipv6,
                )
            )


def _selection(config: Config) -> Selection:
    from extdns.sources.annotations import PREFIX, prefixes
    from extdns.sources.selection import Selection

    given = config.sources.annotation_prefix
    return Selection(
        namespace=config.cluster.namespace,
        label_filter=config.sources.label_filter,
        annotation_filter=config.sources.annotation_filter,
        prefixes=prefixes(PREFIX if given is None and config.control.compat else given),
    )
