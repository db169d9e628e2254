"""Count the queries that a real Open Policy Agent on loopback gets: for a start, and for one change. Usage: opa SIZE.

The CPU is that of extdns only, beside the same pass without rules.
"""

from __future__ import annotations

import gc
import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from extdns import log
from extdns.app import assembly
from extdns.cli import main as extdns
from extdns.config import parse
from tests.bench.counting import CountingProvider
from tests.bench.fullpass import FLAGS
from tests.bench.onechange import Watcher
from tests.bench.process import cpu_s, print_figures
from tests.bench.running import running
from tests.bench.services import EDITED, ZONE, prepare_edit, save, write
from tests.slow.rego.opa_process import OpaProcess

if TYPE_CHECKING:
    from extdns.app.assembly import Assembly

POLICY: Final = """package extdns

deny contains "the TTL is below 60 seconds" if {
	input.record.ttl > 0
	input.record.ttl < 60
}

deny contains "the name is not below that of the namespace" if {
	not endswith(input.record.name, sprintf(".%s.bench.test", [input.object.namespace]))
}
"""
"""Rules that all Services of the benchmark meet."""

_QUERIES: Final = re.compile(rb"extdns_policy_queries_total\{[^}]*\} ([0-9.e+]+)")
_FEW: Final = 10


def main(size: str) -> None:
    log.configure(format="text", level="error")
    with TemporaryDirectory() as scratch, OpaProcess(Path(scratch), policies={"bench.rego": POLICY}) as opa:
        few, folder = Path(scratch, "few"), Path(scratch, "folder")
        write(few, _FEW)
        write(folder, int(size))
        flags = [*FLAGS, "--provider=inmemory", f"--inmemory-zone={ZONE}"]
        server = [f"--opa-url={opa.url}", "--opa-timeout=60s"]
        _measure_pass([*flags, f"--manifests={few}", *server])  # loads all code
        pass_s = _measure_pass([*flags, f"--manifests={folder}"])
        queried_pass_s = _measure_pass([*flags, f"--manifests={folder}", *server])
        start, changes = _count_queries([*flags, "--interval=1h", f"--manifests={folder}", *server], folder)
        print_figures(start_queries=start, change_queries=max(changes), pass_s=pass_s, queried_pass_s=queried_pass_s)


def _measure_pass(flags: list[str]) -> float:
    gc.collect()
    start_s = cpu_s()
    if extdns([*flags, "--once"], {}):
        raise SystemExit("the run failed")
    return cpu_s() - start_s


def _count_queries(flags: list[str], folder: Path) -> tuple[int, list[int]]:
    """Return the number of queries until everything is written, and for each of some changes."""
    provider, watcher = CountingProvider(), Watcher()
    program = assembly.assemble(parse(flags, {}), follow=watcher.report, service=(provider, provider))
    with running(program):
        start = _read_count(program)
        changes: list[int] = []
        for number in range(EDITED):
            before, address = _read_count(program), f"198.51.100.{number + 2}"
            watcher.expect(address)
            save(prepare_edit(folder, number, address))
            watcher.wait()
            changes.append(_read_count(program) - before)
    return start, changes


def _read_count(program: Assembly) -> int:
    found = _QUERIES.findall(program.controller._parts.reporter.metrics.render())
    return int(sum(map(float, found)))


if __name__ == "__main__":
    main(*sys.argv[1:])
