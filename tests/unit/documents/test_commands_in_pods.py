"""Commands that pages run in the pod, where no flags are given, ask the process that runs there."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[3]
WITHOUT_FLAGS = {"approve", "explain", "status"}
"""The commands that ask the process in the same pod; all others need its arguments."""


def test_pages_run_only_commands_in_the_pod_that_need_no_flags() -> None:
    pages = [*(ROOT / "docs").rglob("*.md"), *(ROOT / "charts").rglob("*.txt"), *ROOT.glob("*.md")]
    runs = [
        (str(page.relative_to(ROOT)), command)
        for page in pages
        for command in re.findall(r"kubectl [^`\n]*exec [^`\n]*-- extdns ([a-z-]+)", page.read_text(encoding="utf-8"))
    ]
    assert len(runs) > 5
    assert [(page, command) for page, command in runs if command not in WITHOUT_FLAGS] == []
