"""`extdns help`: show the help of a command, or all flags by topic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import click

from extdns.command import NO_FLAGS, command, list_commands, load_command
from extdns.commands.output import show
from extdns.errors import find_similar, sanitize
from extdns.flags.flag import Flag
from extdns.flags.help import format_usage, render_flags
from extdns.flags.table import BY_NAME, FLAGS, TOPICS
from extdns.flags.usage_errors import usage_error

_HEAD: Final = """\
Usage: extdns --source=NAME --provider=NAME [flags]     run, and keep records up to date
       extdns COMMAND [arguments]

extdns publishes the hostnames of Kubernetes objects in DNS, each record with an ownership record.

Commands, each with its own --help:
"""
_ESSENTIAL: Final = {
    "source": "kind of object to read, such as service or ingress; repeatable",
    "manifests": "read objects from files or folders, not from a cluster; repeatable",
    "provider": "DNS service: aws, google, rfc2136, octodns, webhook, zonefile, inmemory",
    "domain-filter": "manage only this domain and what is below it; repeatable",
    "txt-owner-id": "name of this installation in ownership records",
    "policy": "sync (all changes, default), upsert-only (no deletes) or create-only",
    "once": "make one pass and end",
    "dry-run": "write nothing; with --once, show the plan",
    "log-level": "debug, info, warning or error; default info",
}
"""The flags that most people need, each with a few words."""

_TAIL: Final = """\
All other flags: extdns help flags [TOPIC]. @FILE stands for the lines of a file. Flags can also be
set by environment variables, such as EXTERNAL_DNS_SOURCE.
"""
_COLUMN: Final = 25


@command(flags=NO_FLAGS, examples=("extdns help flags deletes", "extdns help plan"), takes_any=True)
@click.argument("about", metavar="[COMMAND | flags [TOPIC]]", nargs=-1)
def main(_flags: Sequence[str], _: Mapping[str, str], *, about: Sequence[str]) -> int:
    """Show this help, the help of a command, or the flags whose topic or name contains TOPIC."""
    match list(about):
        case []:
            show(render_overview())
        case ["flags"]:
            show(render_flags(FLAGS))
        case ["flags", topic]:
            show(render_flags(_find_flags(topic)))
        case [name] if name in list_commands():
            show(load_command(name).render_help())
        case _:
            near = find_similar(about[0], (*list_commands(), "flags"))
            raise usage_error(
                f"there is no help about {sanitize(' '.join(about))}",
                f"did you mean: extdns help {near}" if near else "allowed: a command, or flags with a topic",
            )
    return 0


def render_overview() -> str:
    """Return the text of `extdns --help`, which fits on one screen."""
    commands = (_render_line(name, summary) for name, summary in list_commands().items())
    flags = (_render_line(format_usage(BY_NAME[name]), text) for name, text in _ESSENTIAL.items())
    return "\n".join((_HEAD + "\n".join(commands), "", "Flags that most people need:", *flags, "", _TAIL))


def _render_line(head: str, text: str) -> str:
    return f"  {head:{_COLUMN}}{text}"


def _find_flags(word: str) -> tuple[Flag, ...]:
    """Return the flags whose topic contains *word*; if there are none, those whose name does."""
    text = word.lower().lstrip("-")
    found = [flag for flag in FLAGS if text in flag.topic.lower()] or [flag for flag in FLAGS if text in flag.name]
    if not found:
        raise usage_error(f"no flag and no topic contains {sanitize(word)}", f"topics: {'; '.join(TOPICS)}")
    return tuple(found)
