"""Helm, kubeconform, promtool and kustomize, as they are in PATH."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

ROOT: Final = Path(__file__).parents[2]
CHART: Final = ROOT / "charts" / "extdns"
NAMESPACE: Final = "dns"
RELEASE: Final = "extdns"
_HANGS_S: Final = 120.0

Json = dict[str, Any]
Values = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """How a tool ended."""

    code: int
    out: str
    error: str


def run(*command: str | Path, stdin: str = "", env: Mapping[str, str] | None = None) -> Done:
    """Run a tool to its end."""
    done = subprocess.run(
        command, input=stdin, capture_output=True, text=True, timeout=_HANGS_S, check=False, env=env, cwd=ROOT
    )
    return Done(code=done.returncode, out=done.stdout, error=done.stderr)


class Helm:
    """Renders the chart as the release `extdns` of the namespace `dns`."""

    def __init__(self, program: str, folder: Path) -> None:
        """Run *program*, which keeps what it must in *folder*."""
        self._program = program
        self._env = {"HOME": str(folder), "PATH": "/usr/bin:/bin"}
        self._rendered: dict[str, Done] = {}

    def render(self, values: Values) -> Done:
        """What `helm template` does with *values*, which it is asked once."""
        given = yaml.safe_dump(dict(values))
        if given not in self._rendered:
            command = (self._program, "template", RELEASE, CHART, "--namespace", NAMESPACE, "--values", "-")
            self._rendered[given] = run(*command, stdin=given, env=self._env)
        return self._rendered[given]

    def lint(self, values: Values) -> Done:
        """What `helm lint --strict` does with *values*."""
        command = (self._program, "lint", "--strict", CHART, "--values", "-")
        return run(*command, stdin=yaml.safe_dump(dict(values)), env=self._env)

    def manifests(self, values: Values) -> list[Json]:
        """What *values* render to.

        Raises:
            AssertionError: they do not.
        """
        done = self.render(values)
        assert done.code == 0, done.error
        return [document for document in yaml.safe_load_all(done.out) if document]

    def refusal(self, values: Values) -> str:
        """Why *values* do not render.

        Raises:
            AssertionError: they do.
        """
        done = self.render(values)
        assert done.code != 0
        return done.error


def of(kind: str, manifests: list[Json]) -> list[Json]:
    """The objects of a kind."""
    return [obj for obj in manifests if obj["kind"] == kind]


def container(manifests: list[Json]) -> Json:
    """The container of the program."""
    (deployment,) = of("Deployment", manifests)
    found: Json = deployment["spec"]["template"]["spec"]["containers"][0]
    return found


def arguments(manifests: list[Json]) -> list[str]:
    """The arguments of the program."""
    return list(container(manifests)["args"])


def values_of(name: str) -> Json:
    """A file of values."""
    found: Json = yaml.safe_load((Path(__file__).parent / "values" / f"{name}.yaml").read_text(encoding="utf-8")) or {}
    return found


def value_files() -> list[str]:
    """The names of all files of values, sorted."""
    return sorted(path.stem for path in (Path(__file__).parent / "values").iterdir())
