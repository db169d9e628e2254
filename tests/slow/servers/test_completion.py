"""The completion scripts, sourced in each shell (docs/design/messages.md, "Help and completion")."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from extdns import cli
from extdns.flags.flag import Support
from extdns.flags.table import FLAGS
from tests.required_programs import require_programs

BASH: Final = """
source {script}
COMP_WORDS=({words})
COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
_extdns_completion extdns
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
ZSH: Final = """
compdef() {{ }}
compadd() {{ print -l -- ${{(P)@[-1]}} }}
_describe() {{ print -l -- ${{${{(P)3}}%%:*}} }}
source {script}
words=({words})
CURRENT=${{#words}}
_extdns_completion
"""
FISH: Final = """
source {script}
complete -C {line} | cut -f 1
"""
PATH: Final = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
"""The scripts start extdns for each completion."""

SHELLS: Final = {"bash": ("bash", "--norc"), "zsh": ("zsh", "-f"), "fish": ("fish", "--no-config")}


class Shell:
    """A shell that has sourced the completion script."""

    def __init__(self, name: str, script: Path) -> None:
        self.name = name
        self.script = script

    def complete(self, *words: str) -> list[str]:
        template = {"bash": BASH, "zsh": ZSH, "fish": FISH}[self.name]
        text = template.format(
            script=self.script, words=" ".join(map(shlex.quote, words)), line=shlex.quote(" ".join(words))
        )
        ended = subprocess.run(
            [*SHELLS[self.name], "/dev/stdin"],
            input=text,
            env=os.environ | {"PATH": PATH},
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
        assert ended.stderr == ""
        return ended.stdout.split()


@pytest.fixture(params=list(SHELLS))
def shell(request: pytest.FixtureRequest, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Shell:
    name: str = request.param
    require_programs(f"completion in {name}", name)
    assert cli.main(["completion", name], {}) == 0
    script = tmp_path / "script"
    script.write_text(capsys.readouterr().out)
    return Shell(name, script)


def select(shell: Shell, candidates: list[str], word: str) -> list[str]:
    """Return the candidates that match *word*; zsh itself selects them later."""
    return [one for one in candidates if one.startswith(word)] if shell.name == "zsh" else candidates


def test_a_shell_completes_the_names_of_commands(shell: Shell) -> None:
    assert select(shell, shell.complete("extdns", "pl"), "pl") == ["plan"]


def test_a_shell_completes_the_options_of_a_command(shell: Shell) -> None:
    found = {one.rstrip("=") for one in select(shell, shell.complete("extdns", "plan", "--zone-s"), "--zone-s")}
    assert found == {"--zone-snapshot"}
    found = {one.rstrip("=") for one in select(shell, shell.complete("extdns", "owners", "--zone-s"), "--zone-s")}
    assert found == set()


def test_a_shell_completes_the_values_of_a_flag(shell: Shell) -> None:
    found = select(shell, shell.complete("extdns", "--policy=up"), "--policy=up")
    assert found == ["--policy=upsert-only"]


def test_a_shell_completes_the_shell_names_after_extdns_completion(shell: Shell) -> None:
    assert select(shell, shell.complete("extdns", "completion", "z"), "z") == ["zsh"]


def test_a_shell_completes_every_flag(shell: Shell) -> None:
    found = {one.rstrip("=") for one in shell.complete("extdns", "--")}
    assert {flag.spelling for flag in FLAGS if flag.support is not Support.ABSENT} <= found


def test_bash_completes_a_flag_value_even_if_the_equals_sign_is_a_word_of_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["completion", "bash"], {}) == 0
    script = tmp_path / "script"
    script.write_text(capsys.readouterr().out)
    shell = Shell("bash", script)
    assert shell.complete("extdns", "plan", "--output", "=", "ma") == ["markdown"]
    assert shell.complete("extdns", "--source", "serv") == ["service"]


def test_extdns_completion_refuses_a_shell_that_it_does_not_support(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["completion", "tcsh"], {}) == 1
    assert capsys.readouterr().err == ("error: shell=tcsh is not a shell\n  allowed: bash, zsh, fish\n")
