"""List every flag, by topic and by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from extdns.flags import opa, process, providers, records, rfc2136, rules, sources, unavailable_providers, webhook
from extdns.flags.flag import Flag


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """Flags that `extdns help flags` and the reference page show together, under *title*."""

    title: str
    flags: tuple[Flag, ...]


TOPICS: Final = (
    Topic(title="What runs, and when", flags=process.CONTROL_FLAGS),
    Topic(title="Where objects are read from", flags=process.CLUSTER_FLAGS),
    Topic(title="Sources", flags=sources.SOURCE_FLAGS),
    Topic(title="Source service", flags=sources.SERVICE_FLAGS),
    Topic(title="Source ingress", flags=sources.INGRESS_FLAGS),
    Topic(title="Sources gateway-*", flags=sources.GATEWAY_FLAGS),
    Topic(title="Other sources", flags=sources.OTHER_SOURCE_FLAGS),
    Topic(title="Templates", flags=sources.TEMPLATE_FLAGS),
    Topic(title="Names, types and zones", flags=records.SCOPE_FLAGS),
    Topic(title="Rules", flags=rules.RULE_FLAGS),
    Topic(title="Deletes", flags=records.DELETE_FLAGS),
    Topic(title="Leader election", flags=process.ELECTION_FLAGS),
    Topic(title="Registry", flags=records.REGISTRY_FLAGS),
    Topic(title="Logs, metrics and Events", flags=process.REPORTING_FLAGS),
    Topic(title="Open Policy Agent", flags=opa.OPA_FLAGS),
    Topic(title="Provider zonefile", flags=providers.ZONEFILE_FLAGS),
    Topic(title="Provider octodns", flags=providers.OCTODNS_FLAGS),
    Topic(title="Provider inmemory", flags=providers.INMEMORY_FLAGS),
    Topic(title="Providers aws and aws-sd", flags=providers.AWS_FLAGS),
    Topic(title="Provider google", flags=providers.GOOGLE_FLAGS),
    Topic(title="Providers azure, azure-dns and azure-private-dns", flags=unavailable_providers.AZURE_FLAGS),
    Topic(title="Provider cloudflare", flags=unavailable_providers.CLOUDFLARE_FLAGS),
    Topic(title="Provider rfc2136", flags=rfc2136.RFC2136_FLAGS),
    Topic(title="Provider webhook", flags=webhook.WEBHOOK_FLAGS),
    Topic(title="Other providers", flags=unavailable_providers.OTHER_PROVIDER_FLAGS),
)
FLAGS: Final = tuple(flag for topic in TOPICS for flag in topic.flags)
BY_NAME: Final = {flag.name: flag for flag in FLAGS}
