"""The text of `--help`, and the flags page docs/reference/flags.md."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from extdns.flags.flag import Support
from extdns.flags.help import format_usage, render_flags
from extdns.flags.table import FLAGS, TOPICS
from extdns.flags.validation import AVAILABLE
from tools.flags_page import render_page

ROOT = Path(__file__).parents[3]


def test_the_help_text_has_every_topic_in_the_order_of_the_table() -> None:
    lines = render_flags(FLAGS).splitlines()
    places = [lines.index(f"{topic}:") for topic in TOPICS]
    assert places == sorted(places)


def test_the_help_text_describes_implemented_flags_and_lists_the_others_by_name() -> None:
    text = render_flags(FLAGS)
    names = text.replace("\n", ",")
    for flag in FLAGS:
        if flag.support is Support.IMPLEMENTED:
            assert f"\n  {format_usage(flag)}\n" in text
            assert f"[{flag.variable}]" in text or not flag.variable
        else:
            assert f" {flag.spelling}," in names


def test_a_help_entry_has_meaning_choices_default_and_variable() -> None:
    entry = (
        "  --log-format=FORMAT\n"
        "      Format of the log lines: text or json. Allowed: text, json. Default: text.\n"
        "      [EXTERNAL_DNS_LOG_FORMAT]\n"
    )
    assert entry in render_flags(FLAGS)


def test_the_help_text_lists_only_supported_providers_as_choices() -> None:
    assert f"Allowed: {', '.join(AVAILABLE['provider'])}." in " ".join(render_flags(FLAGS).split())
    assert "linode, " not in render_flags(FLAGS)


def test_the_lines_of_the_help_text_have_at_most_100_characters() -> None:
    assert max(len(line) for line in render_flags(FLAGS).splitlines()) <= 100


def test_the_flags_page_marks_which_flags_are_unsupported_and_which_are_secret() -> None:
    rows = {line.split(" | ")[0]: line for line in render_page().splitlines()}
    for flag in FLAGS:
        row = rows[f"| `{format_usage(flag).replace('|', chr(92) + '|')}`"]
        assert ("**Not in this version.**" in row) is (flag.support is Support.ABSENT)
        assert (" Secret." in row) is flag.secret


@pytest.mark.parametrize(
    ("module", "light"),
    [
        pytest.param("extdns.cli", {"msgspec", "extdns.config"}, id="help"),
        pytest.param("extdns.config", set[str](), id="configuration"),
        pytest.param("extdns.commands.running_process", {"extdns.engine.engine"}, id="status"),
    ],
)
def test_the_modules_with_which_a_command_starts_import_no_heavy_packages(module: str, light: set[str]) -> None:
    code = f"import sys, {module}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, encoding="utf-8")
    heavy = {"kubernetes", "boto3", "google", "rich", "jinja2", "yaml", "dns", "argparse"} | light
    assert heavy.isdisjoint(done.stdout.split())
