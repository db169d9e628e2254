"""`--help` and the reference page."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from extdns.flags.flag import Absent, Implemented
from extdns.flags.help import help_text, usage
from extdns.flags.page import page
from extdns.flags.table import FLAGS, TOPICS

ROOT = Path(__file__).parents[3]


def test_help_has_every_topic_in_order() -> None:
    lines = help_text().splitlines()
    places = [lines.index(f"{topic.title}:") for topic in TOPICS]
    assert places == sorted(places)


def test_help_has_an_entry_for_each_implemented_flag_and_names_every_other() -> None:
    text = help_text()
    names = text.replace("\n", ",")
    for flag in FLAGS:
        if isinstance(flag.state, Implemented):
            assert f"\n  {usage(flag)}\n" in text
            assert f"[{flag.variable}]" in text or not flag.variable
        else:
            assert f" {flag.spelling}," in names


def test_an_entry_tells_meaning_choices_default_and_variable() -> None:
    entry = (
        "  --log-format=FORMAT\n"
        "      Form of the log lines: text or json. Allowed: text, json. Default: text.\n"
        "      [EXTERNAL_DNS_LOG_FORMAT]\n"
    )
    assert entry in help_text()


def test_help_offers_only_what_this_version_has() -> None:
    assert "Allowed: aws, google, inmemory, zonefile." in " ".join(help_text().split())
    assert "cloudflare, " not in help_text()


def test_help_fits_a_terminal() -> None:
    assert max(len(line) for line in help_text().splitlines()) <= 100


def test_the_page_in_the_docs_is_the_one_that_the_table_gives() -> None:
    kept = (ROOT / "docs" / "reference" / "flags.md").read_text(encoding="utf-8")
    assert kept == page(), "run: python -m extdns.flags.page > docs/reference/flags.md"


def test_the_page_says_of_each_flag_whether_this_version_has_it() -> None:
    rows = {line.split(" | ")[0]: line for line in page().splitlines()}
    for flag in FLAGS:
        row = rows[f"| `{usage(flag).replace('|', chr(92) + '|')}`"]
        assert ("**Not in this version.**" in row) is isinstance(flag.state, Absent)
        assert (" Secret." in row) is flag.secret


def test_the_page_is_a_module_that_prints_it() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "extdns.flags.page"], cwd=ROOT, check=True, capture_output=True, encoding="utf-8"
    )
    assert done.stdout == page()


@pytest.mark.parametrize(
    ("module", "light"),
    [
        pytest.param("extdns.cli", {"msgspec", "extdns.config"}, id="what-answers-help"),
        pytest.param("extdns.config", set[str](), id="what-a-run-is-told"),
    ],
)
def test_flags_and_configuration_import_nothing_heavy(module: str, light: set[str]) -> None:
    code = f"import sys, {module}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, encoding="utf-8")
    heavy = {"kubernetes", "boto3", "google", "rich", "jinja2", "yaml", "dns", "argparse"} | light
    assert heavy.isdisjoint(done.stdout.split())
