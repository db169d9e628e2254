"""The text of `--help`, by topic."""

from __future__ import annotations

from collections.abc import Iterable
from textwrap import fill
from typing import Final

from extdns.flags.flag import Absent, Flag, Implemented, Moot
from extdns.flags.support import AVAILABLE
from extdns.flags.table import TOPICS, Topic

_WIDTH: Final = 100
_INTRODUCTION: Final = """\
Usage: extdns [COMMAND] --source=NAME --provider=NAME [flags]

extdns keeps DNS in step with Kubernetes: it publishes the names that people put on objects, and
marks the records that it owns.

Commands, each with a --help of its own; without one, records are kept in step:
  plan      what would change, and why; nothing is written
  apply     make the changes of a plan that was kept, and no others
  explain   the whole way of a name or an object, or what a reason code means
  owners    who owns what in the zones
  migrate   what a switch from external-dns would change
  adopt     take ownership of records that stand as objects ask
  check     what is missing of rights and ways
  iam-policy
            what AWS must allow, and no more
  verify    whether the name servers of a zone serve what objects ask for
  status    which deletes are held
  release   let held deletes be made
  demo      a small shop published into zone files

Write --flag=VALUE or --flag VALUE; switches take no value and are undone by --no-flag. A repeatable
flag takes one value at a time: commas do not separate. Each flag can also be set by the variable
shown in brackets, a repeatable one with one value a line; the command line wins. @FILE stands for
the lines of a file.
"""


def help_text() -> str:
    """Write what `extdns --help` shows; ends in a newline."""
    return "\n".join((_INTRODUCTION, *(_topic(topic) for topic in TOPICS)))


def usage(flag: Flag) -> str:
    """The flag with what follows it, as in `--interval=DURATION` and `--[no-]once`."""
    if flag.is_switch:
        return f"--[no-]{flag.name}" if flag.environment else flag.spelling
    return f"{flag.spelling}={flag.kind.metavar}"


def default_text(flag: Flag) -> str:
    """The default as it would be written; "" where nothing or a switch that is off is."""
    if flag.is_switch:
        return "on" if flag.default else ""
    return ", ".join(argument.partition("=")[2] for argument in flag.arguments(flag.default))


def allowed(flag: Flag) -> tuple[str, ...]:
    """The values there are to choose from in this version; empty where the set is open."""
    return AVAILABLE.get(flag.name, tuple(choice for choice in flag.kind.choices if choice))


def sentence(flag: Flag) -> str:
    """The help as a sentence, with the values there are and whether it repeats."""
    choices = f" Allowed: {', '.join(allowed(flag))}." if allowed(flag) else ""
    repeatable = " Repeatable." if flag.repeatable else ""
    return f"{flag.help[0].upper()}{flag.help[1:]}.{choices}{repeatable}"


def _topic(topic: Topic) -> str:
    entries = (_entry(flag) for flag in topic.flags if isinstance(flag.state, Implemented))
    moot = _names("Accepted with a notice", (flag for flag in topic.flags if isinstance(flag.state, Moot)))
    absent = _names("Not in this version", (flag for flag in topic.flags if isinstance(flag.state, Absent)))
    return "\n".join((f"{topic.title}:", *entries, *moot, *absent, ""))


def _entry(flag: Flag) -> str:
    default = f" Default: {default_text(flag)}." if default_text(flag) else ""
    variable = f" [{flag.variable}]" if flag.variable else ""
    return f"  {usage(flag)}\n{_filled(f'{sentence(flag)}{default}{variable}', indent=6)}"


def _names(title: str, flags: Iterable[Flag]) -> tuple[str, ...]:
    names = ", ".join(flag.spelling for flag in flags)
    return (_filled(f"{title}: {names}", indent=2),) if names else ()


def _filled(text: str, *, indent: int) -> str:
    margin = " " * indent
    return fill(
        text,
        width=_WIDTH,
        initial_indent=margin,
        subsequent_indent=margin,
        break_long_words=False,
        break_on_hyphens=False,
    )
