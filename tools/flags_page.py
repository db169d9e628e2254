"""The reference page of the flags, docs/reference/flags.md."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from operator import attrgetter
from typing import Final

from extdns.flags.flag import SAME_DEFAULT, Flag, Support
from extdns.flags.help import describe_flag, format_default, format_usage
from extdns.flags.table import FLAGS

_INTRODUCTION: Final = """\
# Flags

<!-- Made by `make generate` from the sections of flags in extdns/flags and providers. -->

Every flag of external-dns is known, and some of our own. `extdns help flags` shows the same.

- Write `--flag=VALUE` or `--flag VALUE`; a value that begins with `-` needs the `=`.
- A switch takes no value: `--once`, `--no-once`.
- A repeatable flag takes one value at a time; commas do not separate. Values that are given replace
  the default. Any other flag may be given once.
- Each flag except `--help` and `--version` has an environment variable: `EXTERNAL_DNS_` and its name in capitals, with
  `_` for `-`, as in `EXTERNAL_DNS_TXT_OWNER_ID`. A repeatable flag takes one value a line, a switch
  `true` or `false`. An empty variable counts as not set, and the command line wins.
- A variable that begins with `EXTERNAL_DNS_` but is not that of a flag is named at the start, with the most similar
  one. It is an error if it differs from `EXTERNAL_DNS_DRY_RUN`, `EXTERNAL_DNS_POLICY` or `EXTERNAL_DNS_ONCE` only by
  case, underscores, one letter or two swapped ones. What Kubernetes sets because of a Service called `external-dns`,
  such as `EXTERNAL_DNS_SERVICE_HOST`, is not named.
- A duration is numbers with units, as in `90s`, `1m30s` and `2h`. The units are `ns`, `us`, `ms`,
  `s`, `m`, `h`, `d` and `w`.
- An argument `@FILE` stands for the lines of that file, without blank ones and those that begin
  with `#`.
- A value that external-dns accepts and that can have no effect, such as `--managed-record-types=A,TXT` or
  `--domain-filter=*.example.org`, is accepted with a warning at the start; with `--compat` without one. A flag that
  external-dns does not have refuses such a value.
- A flag of a source, provider or registry that is not chosen is accepted and has no effect.
- A flag that this version does not have stops the start, unless what it belongs to is not chosen.
- A flag for a secret that this version supports has another one for a file with the secret, so that no secret need be
  in arguments or variables. A newline at the end of the file is not part of the secret.
- A secret, and the user and password in a URL, is shown as `******` in the configuration, in logs, in errors and on
  the page. That holds for environment variables too, such as `HTTPS_PROXY` and `AWS_ENDPOINT_URL_ROUTE_53`.
"""


def render_page() -> str:
    """Return the reference page of the flags as Markdown, with a newline at the end."""
    return "\n".join(
        (_INTRODUCTION, *(_render_topic(topic, flags) for topic, flags in groupby(FLAGS, attrgetter("topic"))))
    )


def _render_topic(topic: str, flags: Iterable[Flag]) -> str:
    head = (f"## {topic}", "", "| Flag | Default | What it does |", "|---|---|---|")
    return "\n".join((*head, *(_render_row(flag) for flag in flags), ""))


def _render_row(flag: Flag) -> str:
    default = format_default(flag)
    cells = (f"`{format_usage(flag)}`", f"`{default}`" if default else "", _describe_meaning(flag))
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _describe_meaning(flag: Flag) -> str:
    compat = "" if flag.reference_default is SAME_DEFAULT else f" With `--compat`: {_format_reference_default(flag)}."
    description = f"{describe_flag(flag)}{_describe_scope(flag)}{compat}{' Secret.' if flag.secret else ''}"
    match flag.support:
        case Support.IMPLEMENTED:
            return description
        case Support.MOOT:
            return f"{description} **Accepted**: {flag.notice}."
        case Support.ABSENT:
            return f"{description} **Not in this version.**"


def _describe_scope(flag: Flag) -> str:
    chosen = (("source", flag.sources), ("provider", flag.providers), ("registry", flag.registries))
    return "".join(f" Only with --{name} {' or '.join(values)}." for name, values in chosen if values)


def _format_reference_default(flag: Flag) -> str:
    if flag.reference_default is None:
        return "it must be given"
    return " ".join(f"`{argument}`" for argument in flag.format_arguments(flag.reference_default))
