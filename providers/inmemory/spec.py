"""The provider `inmemory`, from its flags."""

from __future__ import annotations

from typing import Final

from providers.common.provider_spec import DnsService, ProviderContext, ProviderSpec
from providers.inmemory.flags import InmemoryFlags


def build(context: ProviderContext[InmemoryFlags]) -> DnsService:
    """Build the provider."""
    from providers.inmemory.provider import InMemoryProvider

    memory = InMemoryProvider(context.flags.inmemory_zone)
    return DnsService(memory, memory)


PROVIDER: Final = ProviderSpec(
    name="inmemory",
    flags=InmemoryFlags,
    build=build,
    check_permissions=lambda _context, _zones: (),
    describe_permissions=lambda *_: "none: the zones are in the memory of the process",
    properties=("inmemory/",),
    no_zones=lambda _: ("there is no zone", "give --inmemory-zone=NAME, such as example.org"),
)
