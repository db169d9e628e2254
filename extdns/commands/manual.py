"""Define the help of a command: usage, explanation, options, examples and exit codes, in a fixed form."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import dedent, fill
from typing import Final

_WIDTH: Final = 100
_OPTION_WIDTH: Final = 26
_RUN_FLAGS: Final = "The flags of a run, such as --source, and their environment variables apply: extdns help flags"
_STATE_FLAGS: Final = (
    "Of the flags and environment variables of a run, only --state-configmap, --state-file, --kubeconfig and --server "
    "matter."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """An option of a command that is not a flag of a run.

    Attributes:
        form: the option with the form of its value, as `--base=DIR_OR_REF`.
        text: what it does, as a clause.
        choices: all allowed values, () if they cannot be listed.
    """

    form: str
    text: str
    choices: tuple[str, ...] = ()

    @property
    def spelling(self) -> str:
        """The option without its value."""
        return self.form.partition("=")[0]


def output_option(*formats: str) -> Option:
    """Return the option that chooses one of *formats*, the first by default."""
    return Option(
        form=f"--output={'|'.join(formats)}", text=f"format; -o for short; default {formats[0]}", choices=formats
    )


OUTPUT: Final = output_option("text", "json")


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandHelp:
    """The help of one command.

    Attributes:
        summary: what it does, in a few words, for the list of commands.
        usage: the forms of the command line, without the name of the program.
        text: the explanation, in paragraphs separated by empty lines.
        options: the options of the command that are not flags of a run.
        examples: command lines that work.
        exit_codes: what the exit codes mean.
        takes_run_flags: whether the flags of a run apply, too.
        takes_state_flags: whether only the flags of the saved state apply.
    """

    summary: str
    usage: tuple[str, ...]
    text: str
    options: tuple[Option, ...] = ()
    examples: tuple[str, ...]
    exit_codes: str = "0, or 1 if an argument is wrong."
    takes_run_flags: bool = True
    takes_state_flags: bool = False

    @property
    def takes_flags(self) -> bool:
        """Whether the command accepts flags of a run: all of them, or those of the saved state."""
        return self.takes_run_flags or self.takes_state_flags

    def render(self) -> str:
        """Return the text of `extdns COMMAND --help`, with a newline at the end."""
        usage = "\n".join(f"{'Usage:' if at == 0 else '      '} extdns {form}" for at, form in enumerate(self.usage))
        paragraphs = [usage, *(_wrap(paragraph) for paragraph in dedent(self.text).strip("\n ").split("\n\n"))]
        if self.options:
            paragraphs.append("\n".join(("Options:", *map(_render_option, self.options))))
        if self.takes_flags:
            paragraphs.append(_wrap(_RUN_FLAGS if self.takes_run_flags else _STATE_FLAGS))
        paragraphs.append("\n".join(("Examples:", *(f"  {one}" for one in self.examples))))
        paragraphs.append(_wrap(f"Exit code: {self.exit_codes}"))
        return "\n\n".join(paragraphs) + "\n"


def _render_option(option: Option) -> str:
    head = f"  {option.form}"
    if len(head) > _OPTION_WIDTH - 2:
        return f"{head}\n{_wrap(option.text, _OPTION_WIDTH)}"
    return f"{head:{_OPTION_WIDTH}}{_wrap(option.text, _OPTION_WIDTH).lstrip()}"


def _wrap(text: str, indent: int = 0) -> str:
    """Wrap a paragraph; one that begins with a blank stays as it is."""
    margin = " " * indent
    if text.startswith(" "):
        return text
    return fill(
        " ".join(text.split()),
        width=_WIDTH,
        initial_indent=margin,
        subsequent_indent=margin,
        break_long_words=False,
        break_on_hyphens=False,
    )
