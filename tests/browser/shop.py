"""Names for a browser to look at: eighty of them, one without an address, one that somebody else has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.integration.stage import Stage, service

HOSTILE: Final = "<script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">"


@dataclass(frozen=True, kw_only=False)
class Shop:
    """A running extdns, its address, and the folder of its manifests."""

    stage: Stage
    address: str
    manifests: Path

    @staticmethod
    def begin(stage: Stage) -> None:
        """Let the cluster hold what each test begins with."""
        stage.apply(*objects())

    def hold(self, *more: Mapping[str, object], but: int = 0) -> None:
        """Let the cluster hold the same but for the first *but* names, and *more*."""
        self.stage.apply(*objects()[but:], *more)


def objects() -> list[Mapping[str, object]]:
    """What the cluster holds."""
    return [
        *(service(f"web{number:02}", f"web{number:02}.example.org") for number in range(80)),
        service("www", "www.example.org"),
        {**service("gw", "pay.example.org"), "status": {}},
        service("hostile", f"right.example.org, {HOSTILE}.example.org", annotations={"ttl": HOSTILE}),
    ]
