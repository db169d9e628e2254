"""The DNS service of `--provider`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from extdns.controller.clock import SystemClock

if TYPE_CHECKING:
    from extdns.config import Config
    from extdns.ports import ZoneReader, ZoneWriter


def service(config: Config) -> tuple[ZoneReader, ZoneWriter | None]:
    """The reader and the writer of `--provider`; a dry run has no writer."""
    dry_run = config.control.dry_run
    match config.control.provider:
        case "inmemory":
            from providers.inmemory.provider import InMemoryProvider

            memory = InMemoryProvider(config.inmemory.inmemory_zone)
            return memory, None if dry_run else memory
        case _:
            from providers.zonefile.folder import ZoneFolder
            from providers.zonefile.reader import ZoneFileReader
            from providers.zonefile.writer import ZoneFileWriter

            folder = ZoneFolder(Path(config.zonefile.zonefile_dir))
            return ZoneFileReader(folder), None if dry_run else ZoneFileWriter(folder, SystemClock())
