"""The provider `zonefile`, from its flags."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from extdns.errors import escape_unprintable
from extdns.model.zone import Permission, Zone
from providers.common.provider_spec import DnsService, ProviderContext, ProviderSpec
from providers.zonefile.flags import ZonefileFlags


def build(context: ProviderContext[ZonefileFlags]) -> DnsService:
    """Build the reader and the writer."""
    from providers.zonefile.folder import ZoneFolder
    from providers.zonefile.reader import ZoneFileReader
    from providers.zonefile.writer import ZoneFileWriter

    folder = ZoneFolder(Path(context.flags.zonefile_dir))
    if not context.offline:
        folder.check()
    return DnsService(ZoneFileReader(folder, ids=context.zone_ids), ZoneFileWriter(folder, context.clock))


def check_permissions(
    context: ProviderContext[ZonefileFlags], zones: Iterable[Zone]
) -> Iterator[tuple[Zone, Permission]]:
    """Yield each zone with whether its zone file can be replaced."""
    from providers.zonefile.folder import ZoneFolder

    folder = ZoneFolder(Path(context.flags.zonefile_dir))
    for zone in zones:
        obstacle = folder.find_write_obstacle(zone.id)
        remedy = "let the user of the process own the files and write to the folder" if obstacle else ""
        yield (
            zone,
            Permission(granted=not obstacle, detail=obstacle or "the file permissions allow it", remedy=remedy),
        )


def describe_no_zones(flags: ZonefileFlags) -> tuple[str, str]:
    """Return what to say if the folder has no zone file, and what to do about it."""
    return (
        f"--zonefile-dir={escape_unprintable(flags.zonefile_dir)} holds no zone file",
        "allowed: files named NAME.zone or db.NAME, each with an SOA record; extdns creates no zone files",
    )


PROVIDER: Final = ProviderSpec(
    name="zonefile",
    flags=ZonefileFlags,
    build=build,
    check_permissions=check_permissions,
    describe_permissions=lambda *_: (
        "the user of the process must own the files in --zonefile-dir, and be allowed to write to the folder"
    ),
    other_names=("bind", "coredns-file", "file"),
    no_zones=describe_no_zones,
)
