"""Parse the Dockerfile."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).parents[3]


class Step(NamedTuple):
    """One instruction of the Dockerfile."""

    name: str
    text: str


def stages() -> list[list[Step]]:
    """Return the instructions of each stage, in order, with continued lines joined."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    bare = "".join(line for line in text.splitlines(keepends=True) if not line.startswith("#"))
    found: list[list[Step]] = []
    for line in filter(None, bare.replace("\\\n", " ").splitlines()):
        step = Step(*line.split(maxsplit=1))
        if step.name == "FROM":
            found.append([])
        found[-1].append(step)
    return found


def sources() -> Iterator[str]:
    """Yield the paths that COPY takes from the repository."""
    for step in (step for stage in stages() for step in stage):
        if step.name == "COPY" and not step.text.startswith("--from="):
            *names, _ = step.text.split()
            yield from names
