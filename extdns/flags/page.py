"""The reference page of the flags: `python -m extdns.flags.page > docs/reference/flags.md`."""

from __future__ import annotations

import sys
from typing import Final

from extdns.flags.flag import SAME, Absent, Flag, Implemented, Moot
from extdns.flags.help import default_text, sentence, usage
from extdns.flags.table import TOPICS, Topic

_INTRODUCTION: Final = """\
# Flags

<!-- Made by `python -m extdns.flags.page`; edit the tables in extdns/flags instead. -->

Every flag of external-dns is known, and some of our own. `extdns --help` shows the same.

- Write `--flag=VALUE` or `--flag VALUE`; a value that begins with `-` needs the `=`.
- A switch takes no value: `--once`, `--no-once`.
- A repeatable flag takes one value at a time; commas do not separate. Values that are given replace
  the default. Any other flag may be given once.
- Each flag can be set by an environment variable: `EXTERNAL_DNS_` and its name in capitals, with
  `_` for `-`, as in `EXTERNAL_DNS_TXT_OWNER_ID`. A repeatable flag takes one value a line, a switch
  `true` or `false`. An empty variable counts as not set, and the command line wins.
- A duration is numbers with units, as in `90s`, `1m30s` and `2h`. The units are `ns`, `us`, `ms`,
  `s`, `m`, `h`, `d` and `w`.
- An argument `@FILE` stands for the lines of that file, without blank ones and those that begin
  with `#`.
- A flag of a source, provider or registry that is not chosen is accepted and has no effect.
- A flag that this version does not have stops the start, unless what it belongs to is not chosen.
- A secret is shown as `******` wherever the configuration is shown.
"""


def page() -> str:
    """Write the page; ends in a newline."""
    return "\n".join((_INTRODUCTION, *(_section(topic) for topic in TOPICS)))


def _section(topic: Topic) -> str:
    head = (f"## {topic.title}", "", "| Flag | Default | What it does |", "|---|---|---|")
    return "\n".join((*head, *(_row(flag) for flag in topic.flags), ""))


def _row(flag: Flag) -> str:
    default = default_text(flag)
    cells = (f"`{usage(flag)}`", f"`{default}`" if default else "", _meaning(flag))
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _meaning(flag: Flag) -> str:
    compat = "" if flag.reference_default is SAME else f" With `--compat`: {_reference_default(flag)}."
    said = f"{sentence(flag)}{_belonging(flag)}{compat}{' Secret.' if flag.secret else ''}"
    match flag.state:
        case Implemented():
            return said
        case Moot(says=says):
            return f"{said} **Accepted**: {says}."
        case Absent():
            return f"{said} **Not in this version.**"


def _belonging(flag: Flag) -> str:
    chosen = (("source", flag.sources), ("provider", flag.providers), ("registry", flag.registries))
    return "".join(f" Only with --{name} {' or '.join(values)}." for name, values in chosen if values)


def _reference_default(flag: Flag) -> str:
    if flag.reference_default is None:
        return "it must be given"
    return " ".join(f"`{argument}`" for argument in flag.arguments(flag.reference_default))


if __name__ == "__main__":
    sys.stdout.write(page())
