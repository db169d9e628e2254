"""`extdns completion`: print a completion script for a shell, made from the table of flags and the manual."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from extdns.commands.help import FLAGS as HELP_FLAGS
from extdns.commands.manual_pages import PAGES
from extdns.commands.output import show
from extdns.errors import sanitize
from extdns.flags.flag import Flag, Support
from extdns.flags.help import list_allowed
from extdns.flags.table import FLAGS
from extdns.flags.usage_errors import usage_error

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_SHELLS: Final = ("bash", "zsh", "fish")
_FILES: Final = frozenset({"PATH", "DIR", "FILE", "DIR_OR_REF"})
"""Placeholders of values that are files or folders."""

_BASH: Final = """\
# Completion of extdns for bash: made by `extdns completion bash`.
_extdns() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} command=${{COMP_WORDS[1]}}
  local flag= choices= prefix= words="{flags}"
  COMPREPLY=()
  case $current in
    =) flag=$previous current= ;;
    --*=*) flag=${{current%%=*}} prefix=${{current%%=*}}= current=${{current#*=}} ;;
    *)
      case $previous in
        =) flag=${{COMP_WORDS[COMP_CWORD-2]}} ;;
        --*) flag=$previous ;;
      esac ;;
  esac
  case $flag in
{values}
  esac
  if [ -n "$choices" ]; then
    COMPREPLY=($(compgen -P "$prefix" -W "$choices" -- "$current"))
    return
  fi
  case $current in
    @*) COMPREPLY=($(compgen -P @ -f -- "${{current#@}}")); return ;;
  esac
  case $command in
{options}
  esac
  case $COMP_CWORD$current in
    1 | 1[!-]*) words="{commands}" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$prefix$current"))
  case "${{COMPREPLY[*]}}" in
    *=) type compopt >/dev/null 2>&1 && compopt -o nospace 2>/dev/null ;;
  esac
  return 0
}}
complete -F _extdns extdns
"""
_ZSH: Final = """\
#compdef extdns
# Completion of extdns for zsh: made by `extdns completion zsh`.
autoload -U +X bashcompinit && bashcompinit
{bash}"""
_FISH_HEAD: Final = """\
# Completion of extdns for fish: made by `extdns completion fish`.
complete -c extdns -e
complete -c extdns -f
"""


def main(arguments: Sequence[str], _: Mapping[str, str]) -> int:
    """Print the script for the shell that *arguments* name. Return the exit code.

    Raises:
        UsageError: *arguments* are not one of the shells.
    """
    match list(arguments):
        case ["bash"]:
            show(_render_bash())
        case ["zsh"]:
            show(_ZSH.format(bash=_render_bash()))
        case ["fish"]:
            show(_FISH_HEAD + "".join(f"{line}\n" for line in _render_fish()))
        case _:
            text = sanitize(" ".join(arguments))
            raise usage_error(
                f"extdns completion needs the name of a shell{f', and {text} was given' if text else ''}",
                f"allowed: {', '.join(_SHELLS)}",
            )
    return 0


def _list_flags() -> Iterator[Flag]:
    """Yield the flags of a run that this version supports."""
    return (flag for flag in FLAGS if flag.support is not Support.ABSENT)


def _list_words(command: str) -> tuple[str, ...]:
    """Return the words that can follow *command*, besides the flags of a run."""
    if command == "help":
        return (*PAGES, HELP_FLAGS)
    if command == "completion":
        return _SHELLS
    options = (_complete(option.form) for option in PAGES[command].options)
    return (*options, *(() if PAGES[command].takes_flags else ("--help",)))


def _complete(form: str) -> str:
    """Return the option of *form*, such as `--base=DIR`, without its value: `--base=`; a switch has no `=`."""
    spelling, equals, _ = form.partition("=")
    return f"{spelling}{equals}"


def _list_spellings(flag: Flag) -> tuple[str, ...]:
    if not flag.is_switch:
        return (f"{flag.spelling}=",)
    return (flag.spelling, f"--no-{flag.name}") if flag.environment else (flag.spelling,)


def _list_values() -> Iterator[tuple[str, tuple[str, ...], bool]]:
    """Yield each flag and option whose value can be completed, with all its values, and whether the value is a file."""
    for flag in _list_flags():
        if not flag.is_switch and (list_allowed(flag) or flag.kind.metavar in _FILES):
            yield flag.spelling, list_allowed(flag), flag.kind.metavar in _FILES
    seen: set[str] = set()
    for option in (option for page in PAGES.values() for option in page.options):
        if option.spelling not in seen and (option.choices or option.form.partition("=")[2] in _FILES):
            seen.add(option.spelling)
            yield option.spelling, _list_choices(option.spelling), option.form.partition("=")[2] in _FILES


def _list_choices(spelling: str) -> tuple[str, ...]:
    """Return all values that any command allows for an option."""
    options = (option for page in PAGES.values() for option in page.options if option.spelling == spelling)
    return tuple(dict.fromkeys(choice for option in options for choice in option.choices))


def _render_bash() -> str:
    values = [
        f'    {spelling}) choices="{" ".join(choices)}" ;;'
        if choices
        else f'    {spelling}) COMPREPLY=($(compgen -P "$prefix" -f -- "$current")); return ;;'
        for spelling, choices, _ in _list_values()
    ]
    options = [
        f'    {name}) words="{" ".join(_list_words(name))}{" $words" if page.takes_flags else ""}" ;;'
        for name, page in PAGES.items()
    ]
    return _BASH.format(
        values="\n".join(values),
        commands=" ".join(PAGES),
        flags=" ".join(form for flag in _list_flags() for form in _list_spellings(flag)),
        options="\n".join(options),
    )


def _render_fish() -> Iterator[str]:
    first = "not __fish_seen_subcommand_from " + " ".join(PAGES)
    for name, page in PAGES.items():
        yield f"complete -c extdns -n '{first}' -a {name} -d '{_quote(page.summary)}'"
        for option in page.options:
            yield (
                f"complete -c extdns -n '__fish_seen_subcommand_from {name}' -l {option.spelling[2:]}"
                f"{_describe_value(option.choices, option.form.partition('=')[2])} -d '{_quote(option.text)}'"
            )
    yield f"complete -c extdns -n '__fish_seen_subcommand_from help' -a '{' '.join((*PAGES, HELP_FLAGS))}'"
    yield f"complete -c extdns -n '__fish_seen_subcommand_from completion' -a '{' '.join(_SHELLS)}'"
    for flag in _list_flags():
        value = "" if flag.is_switch else _describe_value(list_allowed(flag), flag.kind.metavar)
        yield f"complete -c extdns -l {flag.name}{value} -d '{_quote(flag.help)}'"


def _describe_value(choices: tuple[str, ...], metavar: str) -> str:
    """Return the arguments of fish's `complete` for a value: one of *choices*, a file, or any text; "" for none."""
    if choices:
        return f" -x -a '{' '.join(choices)}'"
    return (" -r -F" if metavar in _FILES else " -x") if metavar else ""


def _quote(text: str) -> str:
    """Quote *text* for a string of fish in single quotes."""
    return text.replace("\\", "\\\\").replace("'", "\\'")
