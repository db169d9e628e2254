"""Run a fake Route 53 until standard input ends: `python -m tests.fakes.route53 --zone example.com --latency-ms 15`."""

from __future__ import annotations

import argparse
import json
import sys

from tests.fakes.route53.buckets import Rate
from tests.fakes.route53.process import run_commands
from tests.fakes.route53.server import Route53


def main() -> None:
    """Start the service, print its URL and zones, then carry out the commands on standard input."""
    original = _parse_arguments()
    fake = Route53(latency_s=original.latency_ms / 1000, per_action=original.action_rate)
    fake.start(original.port)
    try:
        zones = {name: fake.add_zone(name) for name in original.zone}
        _print_line(json.dumps({"url": fake.url, "zones": zones}))
        run_commands(fake, sys.stdin, _print_line)
    finally:
        fake.kill()


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tests.fakes.route53", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="where to listen; a free port if not given")
    parser.add_argument(
        "--zone", action="append", default=[], metavar="NAME", help="make a public zone; may be repeated"
    )
    parser.add_argument("--latency-ms", type=float, default=0.0, help="how long each call takes on its way")
    parser.add_argument(
        "--action-rate", type=_parse_rate, metavar="PER_S:BURST", help="requests of an account and action"
    )
    return parser.parse_args()


def _parse_rate(text: str) -> Rate:
    per_s, _, burst = text.partition(":")
    return Rate(float(per_s), float(burst or per_s))


def _print_line(line: str) -> None:
    print(line, flush=True)  # noqa: T201 - standard output is how it talks


if __name__ == "__main__":
    main()
