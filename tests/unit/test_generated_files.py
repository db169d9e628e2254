"""`make generate` makes every file that is made from the code."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_make_generate_runs_every_command_that_generates_a_file() -> None:
    listed = re.findall(r"^\t(extdns[\w.]+)=(\S+)", (ROOT / "Makefile").read_text(), re.MULTILINE)
    sources = [path.read_text() for folder in ("extdns", "tests") for path in (ROOT / folder).rglob("*.py")]
    named = {command for text in sources for command in re.findall(r"python -m (extdns[\w.]+) > ([\w./-]+\w)", text)}
    assert set(listed) == named
