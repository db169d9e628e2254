"""The reference page of the ways to each DNS service, docs/reference/provider-ways.md."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from extdns.flags.provider_ways import WAYS, ProviderWay

_PAGE: Final = """\
# Ways to each DNS service

<!-- Made by `make generate` from extdns/flags/provider_ways.tsv. -->

For every `--provider` that external-dns has or had, and for other services that have a webhook provider: how extdns
writes to them. Any of these names after `--provider=` is refused with its row. Providers of extdns itself are not
listed: [`aws`](route53.md), [`aws-sd`](cloudmap.md), [`azure`, `azure-dns`, `azure-private-dns`](azure.md),
[`cloudflare`](cloudflare.md), [`google`](clouddns.md), [`rfc2136`](rfc2136.md), [`zonefile`](zonefile.md).

Not said here: whether a package or a webhook is good. The tests of extdns use `octodns-bind`,
`octodns-powerdns` and external-dns v0.22.0 as a webhook with `pdns`, nothing else on this page.

## The three ways

**octoDNS**: install the package, then [`--provider=octodns --octodns-config=FILE`](octodns.md). It cannot write on
condition that a record is unchanged, nor all or nothing, except with BIND and PowerDNS. It has no set identifiers and
aliases, and leaves properties such as `cloudflare-proxied` as found. One replica.

**Another webhook**: run its container beside extdns, then [`--provider=webhook --domain-filter=…`](webhook.md). Writes
are not conditional, and there is one replica. Which types, TTLs, properties and errors it knows depends on its author:
[check it](../how-to/check-a-webhook-provider.md).

**external-dns as a webhook**: an image of external-dns in the same pod (a sidecar), with `--webhook-server
--provider=NAME --source=fake --domain-filter=…` and the flags of its provider; extdns with `--provider=webhook
--domain-filter=…`. [The chart starts both](../tutorials/your-provider.md). It has set identifiers, aliases and
properties besides. Why a call failed is only in the log of that container.

- It listens on `127.0.0.1:8888` only, without authentication, for one provider a pod. Only its container needs the
  credentials.
- It requires `--source`, although it reads no objects; `fake` needs no permissions. From v0.22 it requires `--policy`,
  too.
- It gets the properties of records that it keeps, such as `scw/…`, if `--webhook-provider-properties` names them.
- `--webhook-provider-read-timeout` (5 s) and `--webhook-provider-write-timeout` (10 s) end a call, while the provider
  goes on. For large zones raise them on both sides.
- It does not end on SIGTERM: its container is killed when the grace period of the pod is over.
- Old images get no security fixes.
"""
_COLUMNS: Final = "| Name | In external-dns | octoDNS package | external-dns as a webhook | Other webhook | To know |\n"


def render_page() -> str:
    """Return the reference page of the ways to each DNS service as Markdown, with a newline at the end."""
    return "\n".join((_PAGE, *_render_tables()))


def _render_tables() -> Iterator[str]:
    tables = {
        "Providers of external-dns": [way for way in WAYS if way.versions.endswith("on")],
        "Removed from external-dns": [way for way in WAYS if way.versions and not way.versions.endswith("on")],
        "Services that external-dns never had": [way for way in WAYS if not way.versions],
    }
    for title, ways in tables.items():
        yield f"## {title}\n\n{_COLUMNS}|---|---|---|---|---|---|"
        yield from map(_render_row, ways)
        yield ""


def _render_row(way: ProviderWay) -> str:
    names = ", ".join(f"`{name}`" for name in way.names)
    webhook = f"[{way.webhook}](https://github.com/{way.webhook})" if way.webhook else "-"
    package = f"`{way.package}`" if way.package else "-"
    image = f"{way.image}, keeps `{way.properties}…`" if way.properties else way.image or "-"
    return f"| {names} | {way.versions or '-'} | {package} | {image} | {webhook} | {way.note} |"
