"""One pass without a writer: the base of all commands that show what extdns would do."""

from __future__ import annotations

import dataclasses
import gc
import shlex
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final

from msgspec.structs import replace

from extdns import log
from extdns.app import assembly
from extdns.app.assembly import Assembly
from extdns.app.cluster import ClusterSnapshot, describe_objects, find_origin, list_completed, require_api_server
from extdns.app.provider import build_provider
from extdns.app.state_store import find_file_failure
from extdns.commands.output import warn
from extdns.config import Config, parse
from extdns.controller.stop_signals import StopSignals
from extdns.documents.document import UNKNOWN_PROCESS, ProcessReference
from extdns.documents.plan import PassResult, summarize_pass
from extdns.flags import parser
from extdns.flags.process import STANDARD_INPUT
from extdns.flags.usage_errors import usage_error
from extdns.log import Event
from extdns.masking import mask
from extdns.model.dns_name import DnsName
from extdns.model.saved_state import Approval, Saved
from extdns.model.zone import ZoneList
from extdns.ports import AdjustingReader, StateStore, ZoneReader

# The garbage collector costs a fifth of a pass, and a pass ends before garbage adds up (see `extdns.commands.run`).
_GC_THRESHOLD: Final = 1_000_000
_LOG_LEVEL: Final = "error"
_LEVEL_OF_RUNS: Final = "info"
_DISPLAYED: Final = frozenset(
    {
        Event.CACHE_STATE,
        Event.OBJECT_FAILED,
        Event.OBJECT_UNREADABLE,
        Event.ZONE_LIST_FAILED,
        Event.ZONE_READ_FAILED,
    }
)
"""Failures that commands show as what is missing."""

_INTERRUPTED: Final = "the pass ended before it was complete: it was interrupted, or met an unexpected error"


def configure_pass(arguments: Sequence[str], environ: Mapping[str, str], *, writes: bool = False) -> Config:
    """Parse the flags of a run, and prepare this process for one pass, without grace period.

    Unless `--log-level` is given, only errors are logged, and not those that the command lists in its output anyway. If
    the command does not write changes, so it is with `info`, which a chart gives always; other levels log no change.
    """
    gc.set_threshold(_GC_THRESHOLD)
    config = parse(arguments, environ)
    is_given = "log-level" in parser.parse_settings(arguments, environ)
    if is_given and (writes or config.log.level != _LEVEL_OF_RUNS):
        omitted = () if writes else (Event.DESIRED_CHANGE,)
        log.configure(format=config.log.format, level=config.log.level, omitted=omitted)
    else:
        log.configure(format=config.log.format, level=_LOG_LEVEL, omitted=_DISPLAYED)
    warn(config.warnings)
    return dataclasses.replace(config, control=config.control.replace(once=True))


def describe_command(config: Config, flags: Sequence[str] = ()) -> ProcessReference:
    """Describe this command as the process that answers. Commands suggested in its output contain *flags*."""
    return replace(
        UNKNOWN_PROCESS,
        owner=config.registry.txt_owner_id,
        objects=describe_objects(config),
        flags=mask(shlex.join(flags)),
    )


def open_reader(config: Config) -> ZoneReader:
    """Return a reader of the DNS service."""
    return build_provider(config)[0]


def run_pass(
    config: Config,
    reader: Callable[[Config], ZoneReader] = open_reader,
    state: StateStore | None = None,
    snapshot: ClusterSnapshot | None = None,
) -> PassResult:
    """Make one pass as `--once` does, but without anything that can write.

    *reader* opens the reader of the zones. *state* replaces the state store in *config*, and *snapshot* completes its
    manifests.
    """
    require_api_server(config)
    config = dataclasses.replace(
        config, control=config.control.replace(dry_run=True)
    )  # for Events and object statuses, too
    with StopSignals() as signals:
        running = assembly.assemble(config, service=(reader(config), None), state=state, snapshot=snapshot)
        signals.deliver_to(running.controller.stop)
        running.controller.run(once=True)
    return finish_pass(config, running)


def finish_pass(config: Config, running: Assembly) -> PassResult:
    """Return the result of a pass that has ended."""
    missing = [] if running.controller.is_complete else [_INTERRUPTED]
    if failure := find_file_failure(config, running.engine):
        missing.append(failure)
    result = summarize_pass(config, running.engine, tuple(missing), running.observers.read_rules())
    find = partial(find_origin, running.cluster)
    return result._replace(completed=list_completed(running.cluster), find_origin=find)


def require_files(config: Config, command: str) -> None:
    """Check that *command* can read the objects several times."""
    if STANDARD_INPUT in config.cluster.manifests:
        raise usage_error(
            f"{command} reads the objects several times, and standard input can be read only once",
            "give files: --manifests=PATH",
        )


class ZonesOfNameReader:
    """A `ZoneReader` that lists only the zones that can hold *name*.

    Attributes:
        known_zones: the names of the zones that the service listed.
    """

    def __init__(self, reader: ZoneReader, name: DnsName) -> None:
        self._reader = reader
        self._name = name
        self.known_zones: tuple[str, ...] = ()
        self.capabilities = reader.capabilities
        self.adjust = reader.adjust
        self.read_page = reader.read_page
        self.read_names = reader.read_names
        if isinstance(reader, AdjustingReader):
            self.load_adjustments = reader.load_adjustments

    def list_zones(self) -> ZoneList:
        """List the zones that can hold the name."""
        found = self._reader.list_zones()
        self.known_zones = tuple(zone.name for zone in found.zones)
        return replace(found, zones=tuple(zone for zone in found.zones if self._name.within(zone.name)))


class FixedStateStore:
    """A `StateStore` that always loads the same state and saves nothing."""

    def __init__(self, saved: Saved) -> None:
        self._saved = saved

    def load(self) -> Saved:
        """Return the fixed state."""
        return self._saved

    def save(self, saved: Saved) -> None:
        """Save nothing."""

    def load_approvals(self) -> tuple[Approval, ...]:
        """Return no approvals."""
        return ()
