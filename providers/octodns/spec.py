"""The provider `octodns`, from its flags."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Final

from extdns.errors import UsageError
from providers.common.provider_spec import DnsService, ProviderContext, ProviderSpec, report_unknown
from providers.octodns.flags import OctodnsFlags


def build(context: ProviderContext[OctodnsFlags]) -> DnsService:
    """Build the reader and the writer; offline, without the secrets of the providers of octoDNS."""
    if find_spec("octodns") is None:
        raise UsageError("--provider=octodns needs octoDNS; install it: pip install 'octodns<2'")
    from providers.octodns.provider import OctodnsReader, OctodnsWriter, OctodnsZones
    from providers.octodns.settings import OctodnsSettings

    zones = OctodnsZones(
        OctodnsSettings(
            path=Path(context.flags.octodns_config),
            zone_ids=context.zone_ids,
            domains=context.plan.build_domain_filter(),
            offline=context.offline,
            calls=context.calls,
        )
    )
    return DnsService(OctodnsReader(zones), OctodnsWriter(zones))


PROVIDER: Final = ProviderSpec(
    name="octodns",
    flags=OctodnsFlags,
    build=build,
    check_permissions=lambda _, zones: report_unknown("octoDNS", zones),
    describe_permissions=lambda *_: (
        "for each provider in --octodns-config, credentials that may list zones, and read and change their records: "
        "see the manual of its package"
    ),
    conditional=False,
    sdk={"octodns": "*"},
)
