"""The table: every flag, by topic and by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from extdns.flags import (
    aws,
    azure,
    cloudflare,
    cluster,
    control,
    deletes,
    election,
    gateway,
    google,
    ingress,
    inmemory,
    otherproviders,
    othersources,
    plan,
    registry,
    reporting,
    rfc2136,
    service,
    sources,
    templates,
    webhook,
    zonefile,
)
from extdns.flags.flag import Flag


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """Flags that are shown together, under *title*."""

    title: str
    flags: tuple[Flag, ...]


TOPICS: Final = (
    Topic(title="What runs, and when", flags=control.FLAGS),
    Topic(title="Where objects are read from", flags=cluster.FLAGS),
    Topic(title="Sources", flags=sources.FLAGS),
    Topic(title="Source service", flags=service.FLAGS),
    Topic(title="Source ingress", flags=ingress.FLAGS),
    Topic(title="Sources gateway-*", flags=gateway.FLAGS),
    Topic(title="Other sources", flags=othersources.FLAGS),
    Topic(title="Templates", flags=templates.FLAGS),
    Topic(title="Names, types and zones", flags=plan.FLAGS),
    Topic(title="Deletes", flags=deletes.FLAGS),
    Topic(title="Leader election", flags=election.FLAGS),
    Topic(title="Registry", flags=registry.FLAGS),
    Topic(title="Logs, metrics and Events", flags=reporting.FLAGS),
    Topic(title="Provider zonefile", flags=zonefile.FLAGS),
    Topic(title="Provider inmemory", flags=inmemory.FLAGS),
    Topic(title="Providers aws and aws-sd", flags=aws.FLAGS),
    Topic(title="Provider google", flags=google.FLAGS),
    Topic(title="Providers azure, azure-dns and azure-private-dns", flags=azure.FLAGS),
    Topic(title="Provider cloudflare", flags=cloudflare.FLAGS),
    Topic(title="Provider rfc2136", flags=rfc2136.FLAGS),
    Topic(title="Provider webhook", flags=webhook.FLAGS),
    Topic(title="Other providers", flags=otherproviders.FLAGS),
)
FLAGS: Final = tuple(flag for topic in TOPICS for flag in topic.flags)
BY_NAME: Final = {flag.name: flag for flag in FLAGS}
