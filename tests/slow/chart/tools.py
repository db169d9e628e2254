"""Helm, kubeconform, promtool and kustomize, run as programs."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

ROOT: Final = Path(__file__).parents[3]
CHART: Final = ROOT / "charts" / "extdns"
NAMESPACE: Final = "dns"
RELEASE: Final = "external-dns"
_HANGS_S: Final = 120.0

Json = dict[str, Any]
Values = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """Exit code and output of a tool."""

    code: int
    out: str
    error: str


def run(*command: str | Path, stdin: str = "", env: Mapping[str, str] | None = None) -> Done:
    done = subprocess.run(
        command, input=stdin, capture_output=True, text=True, timeout=_HANGS_S, check=False, env=env, cwd=ROOT
    )
    return Done(code=done.returncode, out=done.stdout, error=done.stderr)


class Helm:
    """Renders a chart: by default ours, as the release `external-dns` in the namespace `dns`."""

    def __init__(
        self,
        program: str,
        folder: Path,
        *,
        chart: Path = CHART,
        release: str = RELEASE,
        namespace: str = NAMESPACE,
        defaults: Values | None = None,
    ) -> None:
        """Use the helm *program*, with *folder* as its home folder, and *defaults* for values that are not given."""
        self.program, self._defaults = program, dict(defaults or {})
        self.env = {"HOME": str(folder), "PATH": "/usr/bin:/bin", "GOGC": "off"}  # it ends before it needs the memory
        self._chart, self._release, self._namespace = chart, release, namespace
        self._rendered: dict[str, Done] = {}

    def render(self, values: Values) -> Done:
        """Run `helm template` with *values*, once for equal values."""
        text = json.dumps(self._defaults | dict(values))
        if text not in self._rendered:
            where = (self._release, self._chart, "--namespace", self._namespace)
            self._rendered[text] = run(self.program, "template", *where, "--values", "-", stdin=text, env=self.env)
        return self._rendered[text]

    def lint(self, values: Values) -> Done:
        command = (self.program, "lint", "--strict", CHART, "--values", "-")
        return run(*command, stdin=json.dumps(self._defaults | dict(values)), env=self.env)

    def manifests(self, values: Values) -> list[Json]:
        """Return the objects that *values* render to."""
        done = self.render(values)
        assert done.code == 0, done.error
        return [document for document in yaml.load_all(done.out, yaml.CSafeLoader) if document]

    def refusal(self, values: Values) -> str:
        """Return the error message with which *values* are rejected."""
        done = self.render(values)
        assert done.code != 0
        return done.error


def of(kind: str, manifests: list[Json]) -> list[Json]:
    return [obj for obj in manifests if obj["kind"] == kind]


def container(manifests: list[Json]) -> Json:
    (deployment,) = of("Deployment", manifests)
    found: Json = deployment["spec"]["template"]["spec"]["containers"][0]
    return found


def arguments(manifests: list[Json]) -> list[str]:
    return list(container(manifests)["args"])


def values_of(name: str) -> Json:
    found: Json = yaml.safe_load((Path(__file__).parent / "values" / f"{name}.yaml").read_text(encoding="utf-8")) or {}
    return found


def value_files() -> list[str]:
    return sorted(path.stem for path in (Path(__file__).parent / "values").iterdir())
