"""A real Prometheus with the chart's alerts, whose durations are shortened."""

from __future__ import annotations

import json
import re
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any, Final

import yaml

from tests.kubernetes.process import Process
from tests.nameservers import free_port
from tests.slow.chart.tools import Json

SHORTENED: Final = 30
"""How many times shorter than in the chart all durations of the alerts are."""
_HANGS_S: Final = 240.0
_UNITS_S: Final = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_DURATION: Final = re.compile(r"^(\d+)([smhd])$")
_RANGE: Final = re.compile(r"\[(\d+[smhd])\]")
_AGE: Final = re.compile(r"> 900\b")
_SLOW: Final = 'le=~"60([.]0)?"'
_SHORT_SLOW: Final = 'le="2.5"'
_NEVER_SET: Final = Event()


def shorten_rules(rules: Json) -> Json:
    """Return *rules* with all durations divided by `SHORTENED`: `for`, ranges, the age of the last sync, a slow change.

    A change is slow after 2.5 instead of 60 seconds, the nearest bucket.
    """
    return {
        "groups": [
            {**group, "rules": [_shorten_rule(rule) for rule in group["rules"]], "interval": "1s"}
            for group in rules["groups"]
        ]
    }


def _shorten_rule(rule: Json) -> Json:
    expr = _RANGE.sub(lambda found: f"[{_shorten(found[1])}]", rule["expr"])
    expr = _AGE.sub(f"> {900 // SHORTENED}", expr).replace(_SLOW, _SHORT_SLOW)
    return {**rule, "for": _shorten(rule["for"]), "expr": expr}


def _shorten(duration: str) -> str:
    found = _DURATION.match(duration)
    assert found is not None, duration
    return f"{int(found[1]) * _UNITS_S[found[2]] * 1000 // SHORTENED}ms"


class Prometheus:
    """A running Prometheus that scrapes each target every second."""

    def __init__(self, port: int, targets: Path) -> None:
        self._port, self._targets = port, targets

    def scrape(self, *targets: tuple[int, Mapping[str, str]]) -> None:
        """Scrape exactly *targets* from now on: local ports, with the labels of each."""
        found = [{"targets": [f"127.0.0.1:{port}"], "labels": dict(labels)} for port, labels in targets]
        new = self._targets.with_suffix(".new")
        new.write_text(json.dumps(found), encoding="utf-8")
        new.rename(self._targets)

    def query(self, query: str) -> list[tuple[dict[str, str], float]]:
        url = f"http://127.0.0.1:{self._port}/api/v1/query?{urllib.parse.urlencode({'query': query})}"
        with urllib.request.urlopen(url, timeout=_HANGS_S) as response:
            answer: dict[str, Any] = json.load(response)
        return [(one["metric"], float(one["value"][1])) for one in answer["data"]["result"]]

    def alerts(self, severity: str, *, ever: bool = False) -> set[tuple[str, str]]:
        """Return name and cluster of each alert of *severity* that fires now or, if *ever*, that has ever fired."""
        series = f'ALERTS{{alertstate="firing", severity="{severity}"}}'
        found = self.query(f"last_over_time({series}[1h])" if ever else series)
        return {(labels["alertname"], labels.get("cluster", "")) for labels, _ in found}

    def until(self, condition: Callable[[], object]) -> None:
        end_s = time.monotonic() + _HANGS_S
        while not condition():
            assert time.monotonic() < end_s, self.query("ALERTS")
            _NEVER_SET.wait(0.2)


@contextmanager
def run_prometheus(program: str, folder: Path, rules: Json) -> Iterator[Prometheus]:
    (folder / "rules.yaml").write_text(yaml.safe_dump(rules), encoding="utf-8")
    targets = folder / "targets.json"
    targets.write_text("[]", encoding="utf-8")
    config = {
        "global": {"scrape_interval": "1s", "scrape_timeout": "1s", "evaluation_interval": "1s"},
        "rule_files": ["rules.yaml"],
        "scrape_configs": [{"job_name": "extdns", "file_sd_configs": [{"files": ["targets.json"]}]}],
    }
    (folder / "prometheus.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    port = free_port()
    command = (
        program,
        f"--config.file={folder / 'prometheus.yaml'}",
        f"--storage.tsdb.path={folder / 'data'}",
        f"--web.listen-address=127.0.0.1:{port}",
        "--query.lookback-delta=5s",
        "--log.level=error",
    )
    process = Process(command, folder / "prometheus.log")
    process.wait_until(partial(_is_ready, port), "answer", within_s=_HANGS_S)
    try:
        yield Prometheus(port, targets)
    finally:
        process.end()


def _is_ready(port: int) -> bool:
    with suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{port}/-/ready", timeout=_HANGS_S) as response:
        return bool(response.status == 200)
    return False
