"""`extdns demo`: publish a small shop into zone files."""

from __future__ import annotations

import math
import shlex
import shutil
import sys
import time
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from extdns.command import NO_FLAGS, command, option
from extdns.commands.output import find_command
from extdns.errors import UsageError, shorten
from extdns.flags.address import ListenAddress

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from extdns.app.assembly import Assembly
    from extdns.commands.screen import Screen
    from extdns.engine.engine import Engine
    from extdns.model.change import Decision

_MANIFESTS: Final = Path("examples/demo")
_RULES: Final = Path("examples/policy/cel/wildcard-needs-label.yaml")
_ZONES: Final = Path("examples/zones")
_SCRATCH: Final = Path(".demo")
_COUNTDOWN_STEP_S: Final = 15.0
_MAX_COUNTED: Final = 5
_FLAGS_FILE: Final = "demo.flags"
_ADDRESS: Final = "--web-address"
_ADDRESS_VARIABLE: Final = "EXTERNAL_DNS_WEB_ADDRESS"


@command(
    flags=NO_FLAGS,
    examples=("extdns demo", "extdns demo --web-address=:8080"),
    exit_codes="0, or 1 if an argument is wrong, the examples are missing or the pass was interrupted.",
)
@option(
    "--web-address",
    metavar="HOST:PORT",
    help="address of the live page, also EXTERNAL_DNS_WEB_ADDRESS; a free port if its port is in use",
)
def main(_: Sequence[str], environ: Mapping[str, str], *, web_address: str | None) -> int:
    """Publish the manifests in examples/demo into copies of the zone files in examples/zones.

    The copies are in .demo. In a terminal the demo runs until Ctrl-C, and shows what happens when you edit a manifest.
    Otherwise it makes one pass.
    """
    from extdns import log
    from extdns.app import assembly
    from extdns.commands.screen import Screen
    from extdns.config import parse
    from extdns.controller.exit_codes import DONE, FAILED
    from extdns.controller.stop_signals import StopSignals
    from extdns.log import Event

    if not _MANIFESTS.is_dir() or not _ZONES.is_dir():
        raise UsageError(
            f"extdns demo needs the folders {_MANIFESTS} and {_ZONES}; start it in a checkout of the extdns repository"
        )
    live = sys.stdin is not None and sys.stdin.isatty()
    flags = _build_flags(Path())
    flags += [f"{_ADDRESS}={web_address}"] if web_address is not None else []
    flags += [] if live else ["--once"]
    variables = {name: value for name, value in environ.items() if name == _ADDRESS_VARIABLE}
    config = parse(flags, variables)
    _copy_zones()
    screen = Screen()
    screen.print(f"extdns {' '.join(flags)}\n", "dim")
    printed = {
        Event.OBJECT_UNREADABLE,
        Event.OBJECT_READABLE,
        Event.OBJECT_FAILED,
        Event.ZONE_READ_FAILED,
        Event.DEFECT,
    }
    log.configure(format="readable", level="info", stream=sys.stdout, omitted=frozenset(Event) - printed)
    with StopSignals() as signals, ExitStack() as pages:
        running = assembly.assemble(config, follow=screen.report)
        signals.deliver_to(running.controller.stop)
        show = partial(_show_and_follow, running, screen, config.web.web_address, pages)
        running.controller.run(once=not live, on_first_pass=show if live else None)
    if not running.controller.first_pass_done.is_set():
        return FAILED
    if live:
        screen.print(f"\nStopped. The zone files are in {_SCRATCH / 'zones'}.")
    else:
        _show_first_pass(running, screen)
        screen.print(f"\n{_list_next_commands('')}")
    return DONE


def _copy_zones() -> None:
    zones = _SCRATCH / "zones"
    try:
        if zones.exists():
            shutil.rmtree(zones)
        shutil.copytree(_ZONES, zones)
        (_SCRATCH / _FLAGS_FILE).write_text("".join(f"{flag}\n" for flag in _build_flags(Path.cwd())))
    except OSError as exc:
        raise UsageError(
            f"extdns demo cannot write the folder {zones}: {exc.strerror or shorten(str(exc))}\n"
            f"  remove {_SCRATCH}, or start it in a folder that you can write"
        ) from exc


def _build_flags(folder: Path) -> list[str]:
    """Return the flags of the demo; the paths in them begin with *folder*."""
    return [
        f"--manifests={folder / _MANIFESTS}",
        f"--policy-rules={folder / _RULES}",
        "--source=service",
        "--source=ingress",
        "--provider=zonefile",
        f"--zonefile-dir={folder / _SCRATCH / 'zones'}",
        "--txt-owner-id=demo",
        "--txt-prefix=%{record_type}-owner.",
    ]


def _show_and_follow(running: Assembly, screen: Screen, address: ListenAddress, pages: ExitStack) -> None:
    """Show the first pass, and from then on every change. *pages* closes the live page."""
    import threading

    _show_first_pass(running, screen)
    page, problem = _start_page(running, address, pages)
    screen.print(f"\n{problem or f'The live page: {page}'}")
    screen.print(f"\n{_list_next_commands(page)}")
    screen.print(f"\nWatching. Edit an address or a hostname in {_MANIFESTS}, and see what happens. Ctrl-C stops.\n")
    countdown = Countdown(running.engine, screen)
    screen.follow(countdown.describe_wait)
    stopped = threading.Event()
    pages.callback(stopped.set)
    threading.Thread(target=countdown.run, args=(stopped.wait,), name="countdown", daemon=True).start()


def _start_page(running: Assembly, address: ListenAddress, pages: ExitStack) -> tuple[str, str]:
    """Serve the live page, on a free port if its own is in use. Return its URL, or "" and why there is none."""
    host = address.host if address.host not in {"", "0.0.0.0", "::"} else "127.0.0.1"  # noqa: S104 - a comparison
    problem = ""
    for one in (address, replace(address, port=0)):
        page = running.page.at(one)
        try:
            page.start()
        except UsageError as exc:
            problem = f"No live page: {str(exc).splitlines()[0]}"
            continue
        pages.callback(page.close)
        return f"http://{ListenAddress(host=host, port=page.port)}/", ""
    return "", problem


def _list_next_commands(page: str) -> str:
    program, flags = find_command(), shlex.quote(f"@{Path.cwd() / _SCRATCH / _FLAGS_FILE}")
    target = f"--controller={page}" if page else flags
    return (
        f"Next{', in another terminal' if page else ''}:\n"
        f"  {program} explain mail.shop.example {target}\n"
        f"  {program} plan {flags}\n"
        f"  {program} init {shlex.quote(str(Path.home() / 'my-dns'))}"
    )


class Countdown:
    """Print in how many seconds records in a grace period will be deleted: with the decision, then every 15 seconds.

    `describe_wait` is called on the engine's thread, `run` on another one.
    """

    def __init__(self, engine: Engine, screen: Screen) -> None:
        """Start without records. The ends of grace periods are read from *engine*."""
        self._guard = engine.delete_guard
        self._screen = screen
        self._ends: dict[str, float] = {}

    def describe_wait(self, decision: Decision) -> str:
        """Return in how many seconds the record of *decision* will be deleted, as text, and store the time for `run`.

        If the record is not in a grace period, return "" and remove its stored time.
        """
        from extdns.model.reason import Reason

        record = f"{decision.name} {decision.type}"
        self._ends.pop(record, None)
        if decision.zone is None or decision.current is None or decision.reason is not Reason.IN_GRACE:
            return ""
        status = self._guard.list_statuses(decision.zone.id).get(decision.current.key)
        if status is None or status.grace_ends_s is None:
            return ""
        self._ends[record] = status.grace_ends_s
        return f"deleted in {_count_seconds(status.grace_ends_s, time.monotonic())}, unless an object requests it again"

    def run(self, wait: Callable[[float], bool]) -> None:
        """Print what is left of up to five grace periods every 15 seconds, until *wait* returns true."""
        while not wait(_COUNTDOWN_STEP_S):
            now_s = time.monotonic()
            for record, ends_s in sorted(self._ends.copy().items())[:_MAX_COUNTED]:
                if ends_s > now_s:
                    self._screen.print(f"  … {record} will be deleted in {_count_seconds(ends_s, now_s)}")


def _count_seconds(ends_s: float, now_s: float) -> str:
    return f"{max(0, math.ceil(ends_s - now_s))} s"


def _show_first_pass(running: Assembly, screen: Screen) -> None:
    screen.show_names(running.engine.decisions)
    screen.show_problems(running.engine.claims.objects())
    for path in sorted((_SCRATCH / "zones").glob("*.zone")):
        screen.show_file(path)
