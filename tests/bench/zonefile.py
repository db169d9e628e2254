"""Measure CPU time of zone file records with and without dnspython, in microseconds per target. Usage: zonefile."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial

import dns.rdata

from providers.common import rdata
from tests.bench.process import print_figures

_COUNT = 3000
_ORIGIN = "example.org."


def main() -> None:
    figures: dict[str, float] = {}
    for rtype, words in _list_words().items():
        read = partial(_read, rtype)
        read_us, targets = _time(read, words), [read(word) for word in words]
        figures |= {
            f"read {rtype}": read_us,
            f"read or write {rtype}, dnspython": _time(partial(_read_with_dnspython, rtype), words),
            f"write {rtype}": _time(partial(rdata.format_data, rtype), targets),
        }
    print_figures(**figures)


def _list_words() -> dict[str, Sequence[str]]:
    owner = "heritage=external-dns,external-dns/owner=default,external-dns/resource=service/default"
    return {
        "A": [f"192.0.{number // 250}.{number % 250}" for number in range(_COUNT)],
        "CNAME": [f"n{number}.example.net." for number in range(_COUNT)],
        "TXT": [f'"{owner}/n{number}"' for number in range(_COUNT)],
    }


def _read(rtype: str, word: str) -> str:
    return rdata.parse_target(rtype, (word,), _ORIGIN)


def _read_with_dnspython(rtype: str, word: str) -> str:
    """Parse *word* and render it, which dnspython needs for reading as well as for writing."""
    return dns.rdata.from_text("IN", rtype, word).to_text()


def _time(convert: Callable[[str], object], texts: Sequence[str]) -> float:
    start_s = time.process_time()
    for text in texts:
        convert(text)
    return round((time.process_time() - start_s) / len(texts) * 1e6, 1)


if __name__ == "__main__":
    main()
