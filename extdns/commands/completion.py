"""`extdns completion`: print the completion script for bash, zsh or fish."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import click
from click.shell_completion import BashComplete, CompletionItem, FishComplete, ZshComplete

from extdns.command import COMPLETION_VARIABLE, NO_FLAGS, command, find_options, list_commands, load_command
from extdns.commands.output import show
from extdns.flags.kind import make_choice_kind
from extdns.flags.parser import KindType


class _Candidates:
    """Words for the scripts of click, which themselves would lose `--flag=` before a value in zsh and fish."""

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem[str]]:
        return list(_complete(args, incomplete))


class _Bash(_Candidates, BashComplete):
    pass


class _Zsh(_Candidates, ZshComplete):
    pass


class _Fish(_Candidates, FishComplete):
    pass


_SHELLS: Final = {
    kind.name: kind(click.Command("extdns"), {}, "extdns", COMPLETION_VARIABLE) for kind in (_Bash, _Zsh, _Fish)
}


@command(
    flags=NO_FLAGS,
    examples=("extdns completion bash > extdns.bash", "extdns completion zsh > _extdns"),
)
@click.argument("shell", metavar="|".join(_SHELLS), type=KindType(make_choice_kind("a shell", *_SHELLS)))
def main(_flags: Sequence[str], _: Mapping[str, str], *, shell: str) -> int:
    """Print a script that completes commands, flags and values.

    For bash, source it in ~/.bashrc; for zsh, write it to a file called _extdns in a folder of $fpath; for fish, to
    ~/.config/fish/completions/extdns.fish.
    """
    completion = _SHELLS[shell]
    show(completion.source_template % completion.source_vars())
    return 0


def show_candidates(shell: str) -> None:
    """Print what can follow the words that the script for *shell* has put into the environment."""
    show(f"{_SHELLS[shell].complete()}\n")


def _complete(words: list[str], incomplete: str) -> Iterator[CompletionItem[str]]:
    """Yield what can follow *words*, or replace *incomplete*; bash gives the = before a value as a word."""
    commands = list_commands()
    called = load_command(words[0]) if words and words[0] in commands else None
    options = find_options(called)
    spelling, equals, value = incomplete.partition("=")
    if incomplete == "=" and words:
        spelling, equals, value = words[-1], "=", ""
    elif words[-1:] == ["="]:
        spelling, value = words[-2], incomplete
    elif not equals and words and words[-1] in options and not options[words[-1]].is_flag:
        spelling, value = words[-1], incomplete
    if (option := options.get(spelling)) and spelling != incomplete:
        prefix = f"{spelling}=" if incomplete.startswith(f"{spelling}=") else ""
        yield from _complete_value(option, value, prefix)
    elif incomplete.startswith("@"):
        yield from (CompletionItem(f"@{path}") for path in _list_files(incomplete[1:]))
    elif incomplete.startswith("-"):
        shown = (name for name, option in options.items() if not option.hidden)
        yield from (CompletionItem(name) for name in (*shown, "--help") if name.startswith(incomplete))
    elif not words:
        yield from (CompletionItem(name, help=text) for name, text in commands.items() if name.startswith(incomplete))
    elif called:
        arguments = [one for one in called.params if isinstance(one, click.Argument)]
        yield from (item for one in arguments for item in one.shell_complete(click.Context(called), incomplete))


def _complete_value(option: click.Option, value: str, prefix: str) -> Iterator[CompletionItem[str]]:
    for item in option.shell_complete(click.Context(click.Command("extdns")), value):
        if item.type == "plain":
            yield CompletionItem(f"{prefix}{item.value}")
        elif prefix:
            yield from (CompletionItem(f"{prefix}{path}") for path in _list_files(value))
        else:
            yield item


def _list_files(beginning: str) -> Iterator[str]:
    folder, slash, name = beginning.rpartition("/")
    try:
        found = sorted(path.name for path in Path(folder or (slash or ".")).iterdir() if path.name.startswith(name))
    except OSError:
        return
    yield from (f"{folder}{slash}{one}" for one in found)
