"""Print as Markdown what extdns costs with manifests, a live cluster, Route 53 and BIND, and beside external-dns.

Limits that are exceeded are marked.

Usage: python -m tests.bench [SIZE ...]; sizes are numbers of Services.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tests.bench.largest import OBJECTS
from tests.bench.pairs import SITUATIONS
from tests.bench.process import run
from tests.bench.services import ZONE, write

_SIZES: Final = (1_000, 10_000, 100_000)
_HEADINGS: Final = (
    "Services",
    "full pass",
    "a Service",
    "one change (at most 5 ms)",
    "peak memory a Service (under 6 kB)",
    "pass into a zone file",
    "extdns plan (under 3 s at 10,000)",
    "as JSON",
    "page, median to first byte (under 100 ms)",
    "its memory",
)
_LIVE_SIZES: Final = (10, 10_000, 50_000)
_TYPICAL: Final = 10_000
_LIVE_HEADINGS: Final = (
    "Services, live",
    "start to planned (under 1.8 s at 10,000)",
    "event to planned (under 50 ms)",
    "idle (under 0.3 %)",
    "resident (under 90, 150, 400 MB)",
    "after 6,000 Pods",
)
_ROUTE53_SIZES: Final = (1_000, 10_000)
_ROUTE53_HEADINGS: Final = (
    "Services, Route 53",
    "empty zone: first to last write (under 5 s)",
    "batches",
    "event to accepted write, p50 (under 100 ms)",
    "p95 (under 250 ms)",
    "a change: writes, reads",
    "a quiet minute (at most 12 calls)",
    "start on a converged zone",
    "its CPU",
    "its calls",
    "resident",
)
_SDK_HEADINGS: Final = (
    "CPU of calls to Route 53",
    "a full read of 10,000 record sets (under 1,000 ms)",
    "one change (under 3 ms)",
    "a batch of 1,000 changes (under 200 ms)",
)
_TROUBLES: Final = {
    "nothing": "nothing",
    "refused": "three names are refused",
    "throttled": "the first five calls are throttled",
    "unavailable": "the first five calls get a 503",
    "lost": "the answer to the first batch is lost",
}
_TROUBLES_HEADINGS: Final = (
    "Fault, 1,000 Services",
    "published names",
    "calls (under ten more than without)",
    "batches",
    "first to last batch (under 2 s if names are refused)",
    "first call to last batch (under 10 s)",
)
_MOST_MB: Final = {10: 90, 10_000: 150, 50_000: 400}
_EMPTY_ZONE: Final = f"""$ORIGIN {ZONE}.
$TTL 300
@ IN SOA ns1 hostmaster 1 7200 900 1209600 300
@ IN NS ns1
ns1 IN A 192.0.2.53
"""
_RFC2136_SIZES: Final = (1_000, 10_000)
_RFC2136_HEADINGS: Final = (
    "Services, BIND",
    "empty zone: messages",
    "first to last message",
    "a change: messages (at most 1)",
    "median of a change",
    "of the same with nsupdate",
    "times nsupdate (at most 2)",
    "a quiet refresh (at most 1 query)",
)
_RULES_SIZES: Final = (10_000,)
_RULES_HEADINGS: Final = (
    "Services, ten rules in CEL",
    "full pass without rules",
    "with rules",
    "times (at most 2.5)",
    "one change without rules",
    "with rules",
    "times (at most 1.4)",
)
_OPA_HEADINGS: Final = (
    "Services, Open Policy Agent",
    "queries until all is planned (at most one for 500 names)",
    "queries for a change (at most 1)",
    "CPU of a full pass, times that without rules",
)
_OPA_BATCH: Final = 500
_PAIR_HEADINGS: Final = ("Calls, 2,000 records", "external-dns", "extdns")
_PAIRED: Final = {"cloudflare": "Cloudflare", "azure": "Azure DNS", "aws-sd": "Cloud Map"}
_LARGEST_HEADINGS: Final = (
    "An object of 1.5 MB",
    "names, with two of other objects",
    "evaluations of the rules",
    "calls to find its claims (at most 4,000,000)",
    "calls in the longest step (at most 700,000)",
    "without the object",
)
_MOST_CLAIM_CALLS: Final = 4_000_000
_MOST_STEP_CALLS: Final = 700_000
_PATH_HEADINGS: Final = ("One changed Service", "files (at most 55)", "functions", "calls (at most 900)")


def main(sizes: tuple[int, ...]) -> None:
    _table(_HEADINGS, map(_cells, sizes or _SIZES))
    print()
    _table(_LIVE_HEADINGS, map(_live_cells, sizes or _LIVE_SIZES))
    print()
    _table(_ROUTE53_HEADINGS, map(_route53_cells, sizes or _ROUTE53_SIZES))
    print()
    _table(_SDK_HEADINGS, [_sdk_cells()])
    print()
    _table(_TROUBLES_HEADINGS, _troubles_rows())
    print()
    _table(_RFC2136_HEADINGS, map(_rfc2136_cells, sizes or _RFC2136_SIZES))
    print()
    _table(_RULES_HEADINGS, map(_rules_cells, sizes or _RULES_SIZES))
    print()
    if shutil.which("opa"):
        _table(_OPA_HEADINGS, map(_opa_cells, sizes or _RULES_SIZES))
    else:
        print("NOT RUN: queries to Open Policy Agent (opa is not in PATH)")
    print()
    if shutil.which("external-dns-0.22"):
        _table(_PAIR_HEADINGS, _pair_rows())
    else:
        print("NOT RUN: calls of external-dns and extdns in pairs (external-dns-0.22 is not in PATH)")
    print()
    _table(_LARGEST_HEADINGS, map(_largest_cells, OBJECTS))
    print()
    _table(_PATH_HEADINGS, [_path_cells()])


def _table(headings: Iterable[str], rows: Iterable[Iterable[str]]) -> None:
    names = tuple(headings)
    print(_row(names))
    print(_row("---:" for _ in names))
    for row in rows:
        print(_row(row), flush=True)


def _cells(size: int) -> Iterator[str]:
    with TemporaryDirectory() as scratch:
        folder = Path(scratch, "manifests")
        write(folder, size)
        full = run("fullpass", folder, "inmemory")
        change = run("onechange", folder)
        yield f"{size:,}"
        yield f"{full['cpu_s']:.2f} s"
        yield f"{full['cpu_s'] / size * 1000:.3f} ms"
        yield _format_figure(change["cpu_s"] * 1000, "ms", most=5)
        yield _format_figure(full["peak_bytes"] / size / 1000, "kB", most=6)
        small = size <= _TYPICAL
        yield _zone_file(Path(scratch, "zones"), folder) if small else "-"
        yield _planned(folder, "text") if small else "-"
        yield _planned(folder, "json") if small else "-"
        page = run("page", folder)
        yield _format_figure(page["median_s"] * 1000, "ms", most=100, digits=0)
        yield f"{page['more_bytes'] / 1e6:.0f} MB"


def _zone_file(zones: Path, folder: Path) -> str:
    zones.mkdir()
    (zones / f"{ZONE}.zone").write_text(_EMPTY_ZONE, encoding="utf-8")
    return f"{run('fullpass', folder, 'zonefile', zones)['cpu_s']:.2f} s"


def _planned(folder: Path, output: str) -> str:
    return _format_figure(run("plan", folder, output)["cpu_s"], "s", most=3, digits=2)


def _live_cells(size: int) -> Iterator[str]:
    typical = size == _TYPICAL
    seen = run("live", size, *(("idle", "pods") if typical else ()))
    yield f"{size:,}"
    yield _format_figure(seen["start_s"], "s", most=1.8 if size <= _TYPICAL else None, digits=2)
    yield _format_figure(seen["edit_s"] * 1000, "ms", most=50)
    yield _format_figure(seen["idle_share"] * 100, "%", most=0.3, digits=2) if typical else "-"
    yield _format_figure(seen["rss_bytes"] / 1e6, "MB", most=_MOST_MB.get(size), digits=0)
    yield f"{seen['pods_bytes'] / 1e6:+.1f} MB" if typical else "-"


def _route53_cells(size: int) -> Iterator[str]:
    seen = run("route53", size)
    yield f"{size:,}"
    yield _format_figure(seen["cold_s"], "s", most=5)
    yield f"{seen['cold_batches']}"
    yield _format_figure(seen["edit_p50_s"] * 1000, "ms", most=100, digits=0)
    yield _format_figure(seen["edit_p95_s"] * 1000, "ms", most=250, digits=0)
    yield f"{seen['edit_writes']}, {seen['edit_reads']}"
    yield _format_figure(seen["quiet_calls"], "calls", most=12, digits=0)
    yield f"{seen['again_s']:.1f} s"
    yield f"{seen['again_cpu_s']:.2f} s"
    yield f"{seen['again_calls']}"
    yield f"{seen['rss_bytes'] / 1e6:.0f} MB"


def _sdk_cells() -> Iterator[str]:
    seen = run("sdkcalls")
    yield "with the AWS SDK"
    yield _format_figure(seen["read_ms"], "ms", most=1000, digits=0)
    yield _format_figure(seen["change_ms"], "ms", most=3, digits=2)
    yield _format_figure(seen["batch_ms"], "ms", most=200, digits=0)


def _troubles_rows() -> Iterator[Iterable[str]]:
    seen = run("route53troubles", 1_000)
    for trouble, words in _TROUBLES.items():
        found = {figure: seen[f"{trouble}_{figure}"] for figure in ("names", "calls", "batches", "batches_s", "all_s")}
        yield (
            words,
            f"{found['names']:,}",
            _format_figure(found["calls"], "calls", most=seen["nothing_calls"] + 9, digits=0),
            f"{found['batches']}",
            _format_figure(found["batches_s"], "s", most=2 if trouble == "refused" else None),
            _format_figure(found["all_s"], "s", most=10),
        )


def _rfc2136_cells(size: int) -> Iterator[str]:
    seen = run("rfc2136", size)
    yield f"{size:,}"
    yield f"{seen['cold_messages']}"
    yield f"{seen['cold_s']:.1f} s"
    yield _format_figure(seen["edit_messages"], "", most=1, digits=0)
    yield f"{seen['edit_s'] * 1000:.1f} ms"
    yield f"{seen['nsupdate_s'] * 1000:.1f} ms"
    yield _format_figure(seen["edit_s"] / seen["nsupdate_s"], "", most=2)
    yield _format_figure(seen["quiet_queries"], "", most=1, digits=0)


def _rules_cells(size: int) -> Iterator[str]:
    seen = run("rules", size)
    yield f"{size:,}"
    yield f"{seen['pass_s']:.2f} s"
    yield f"{seen['ruled_pass_s']:.2f} s"
    yield _format_figure(seen["ruled_pass_s"] / seen["pass_s"], "", most=2.5, digits=2)
    yield f"{seen['change_s'] * 1000:.1f} ms"
    yield f"{seen['ruled_change_s'] * 1000:.1f} ms"
    yield _format_figure(seen["ruled_change_s"] / seen["change_s"], "", most=1.4, digits=2)


def _opa_cells(size: int) -> Iterator[str]:
    seen = run("opa", size)
    yield f"{size:,}"
    yield _format_figure(seen["start_queries"], "", most=-(-size // _OPA_BATCH), digits=0)
    yield _format_figure(seen["change_queries"], "", most=1, digits=0)
    yield f"{seen['queried_pass_s'] / seen['pass_s']:.1f}"


def _pair_rows() -> Iterator[Iterable[str]]:
    for provider, title in _PAIRED.items():
        seen = run("pairs", provider)
        for situation in SITUATIONS:
            yield f"{title}: {situation}", f"{seen[f'theirs_{situation}']}", f"{seen[f'ours_{situation}']}"


def _largest_cells(kind: str) -> Iterator[str]:
    seen = run("largest", kind)
    yield kind
    yield f"{seen['names']:,}"
    yield f"{seen['evaluations']:,}"
    yield f"{seen['claim_calls']:,}" + ("" if seen["claim_calls"] <= _MOST_CLAIM_CALLS else " (over)")
    yield f"{seen['step_calls']:,}" + ("" if seen["step_calls"] <= _MOST_STEP_CALLS else " (over)")
    yield f"{seen['step_calls_without']:,}"


def _path_cells() -> Iterator[str]:
    seen = run("path")
    yield "from the event to the accepted write"
    yield _format_figure(seen["files"], "files", most=55, digits=0)
    yield f"{seen['functions']}"
    yield _format_figure(seen["calls"], "calls", most=900, digits=0)


def _format_figure(figure: float, unit: str, *, most: float | None, digits: int = 1) -> str:
    """Format *figure*, with " (over)" if it exceeds *most*."""
    return f"{figure:.{digits}f} {unit}".rstrip() + ("" if most is None or figure <= most else " (over)")


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main(tuple(int(size) for size in sys.argv[1:]))
