"""Prints what extdns costs for 1,000, 10,000 and 100,000 Services, as Markdown.

Usage: python -m tests.bench [SIZE ...].
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.bench.process import run
from tests.bench.services import ZONE, write

_SIZES = (1_000, 10_000, 100_000)
_ZONE_FILE_SIZES = (1_000, 10_000)
_MOST_CPU_S = 0.005
_HEADINGS = ("Services", "full pass", "a Service", "one change", "peak memory a Service", "pass into a zone file")
_EMPTY_ZONE = f"""$ORIGIN {ZONE}.
$TTL 300
@ IN SOA ns1 hostmaster 1 7200 900 1209600 300
@ IN NS ns1
ns1 IN A 192.0.2.53
"""


def main(sizes: Iterable[int]) -> None:
    """Print a row for each of *sizes* as soon as it is measured."""
    print(_row(_HEADINGS))
    print(_row("---:" for _ in _HEADINGS))
    for size in sizes:
        print(_row(_cells(size)), flush=True)


def _cells(size: int) -> Iterator[str]:
    with TemporaryDirectory() as scratch:
        folder = Path(scratch, "manifests")
        write(folder, size)
        full = run("fullpass", folder, "inmemory")
        change = run("onechange", folder)
        yield f"{size:,}"
        yield f"{full['cpu_s']:.2f} s"
        yield f"{full['cpu_s'] / size * 1000:.3f} ms"
        over = "" if change["cpu_s"] <= _MOST_CPU_S else f" (more than {_MOST_CPU_S * 1000:.0f})"
        yield f"{change['cpu_s'] * 1000:.1f} ms{over}"
        yield f"{full['peak_bytes'] / size / 1000:.1f} kB"
        yield _zone_file(Path(scratch, "zones"), folder) if size in _ZONE_FILE_SIZES else "-"


def _zone_file(zones: Path, folder: Path) -> str:
    zones.mkdir()
    (zones / f"{ZONE}.zone").write_text(_EMPTY_ZONE, encoding="utf-8")
    return f"{run('fullpass', folder, 'zonefile', zones)['cpu_s']:.2f} s"


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main([int(size) for size in sys.argv[1:]] or _SIZES)
