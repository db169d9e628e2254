"""What a command says, in the form that `--output` asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from extdns.commands.options import JSON
from extdns.commands.output import show, show_lines
from extdns.facts.document import json_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from extdns.facts.document import Facts


def show_facts(facts: Facts | Mapping[str, object], lines: Iterable[str], output: str) -> None:
    """Show *facts* if *output* asks for JSON, else the *lines* that say the same to people; as `show`."""
    if output == JSON:
        show(json_text(facts))
    else:
        show_lines(lines)
