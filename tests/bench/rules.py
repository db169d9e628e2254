"""Measure a full pass and one change with ten rules in CEL, beside the same without rules. Usage: rules SIZE."""

from __future__ import annotations

import gc
import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from extdns.cli import main as extdns
from tests.bench.fullpass import FLAGS
from tests.bench.process import cpu_s, print_figures, run
from tests.bench.services import ZONE, write

EXPRESSIONS: Final = (
    f"record.name.isSubdomainOf(object.namespace + '.{ZONE}')",
    "record.private || record.targets.all(t, !isIP(t) || isGlobal(t))",
    "record.targets.all(t, !isIP(t) || !cidr('169.254.0.0/16').containsIP(t))",
    "record.ttl == 0 || record.ttl >= 60",
    "record.labels[0] != '*'",
    "'app.kubernetes.io/part-of' in object.labels && object.labels['app.kubernetes.io/part-of'] == object.namespace",
    "record.type in ['A', 'AAAA', 'CNAME']",
    "record.name.matches('^[a-z0-9.-]+$')",
    "record.setIdentifier == '' && size(record.targets) <= 10",
    "current == null || current.record.zone == record.zone",
)
"""Conditions that all Services of the benchmark meet. Each is a rule of its own and matches every record."""

_ROUNDS: Final = 3
_FEW: Final = 10


def main(size: str) -> None:
    """Print the CPU seconds of a full pass and of one change (the median of some), each the least of some rounds."""
    with TemporaryDirectory() as scratch:
        rules = Path(scratch, "rules.json")
        rules.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": list(map(_build_rule, EXPRESSIONS))}))
        few, folder = Path(scratch, "few"), Path(scratch, "folder")
        write(few, _FEW)
        write(folder, int(size))
        flags = [*FLAGS, "--provider=inmemory", f"--inmemory-zone={ZONE}", "--once"]
        with_rules = f"--policy-rules={rules}"
        _measure([*flags, f"--manifests={few}", with_rules])  # loads all code
        pairs = [
            (_measure([*flags, f"--manifests={folder}"]), _measure([*flags, f"--manifests={folder}", with_rules]))
            for _ in range(_ROUNDS)
        ]
        changes = [
            (_measure_change(folder, int(size)), _measure_change(folder, int(size), with_rules)) for _ in range(_ROUNDS)
        ]
        print_figures(
            pass_s=min(one for one, _ in pairs),
            ruled_pass_s=min(one for _, one in pairs),
            change_s=min(one for one, _ in changes),
            ruled_change_s=min(one for _, one in changes),
        )


def _build_rule(expression: str) -> dict[str, object]:
    return {
        "apiVersion": "extdns.io/v1alpha1",
        "kind": "DNSPolicy",
        "metadata": {"name": f"rule-{EXPRESSIONS.index(expression)}"},
        "spec": {"validations": [{"expression": expression}]},
    }


def _measure(flags: list[str]) -> float:
    gc.collect()
    start_s = cpu_s()
    if extdns(flags, {}):
        raise SystemExit("the run failed")
    return cpu_s() - start_s


def _measure_change(folder: Path, size: int, *flags: str) -> float:
    write(folder, size)  # without the edits of the round before
    cost_s: float = run("onechange", folder, *flags)["cpu_s"]
    return cost_s


if __name__ == "__main__":
    main(*sys.argv[1:])
