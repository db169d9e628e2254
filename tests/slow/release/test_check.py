"""Problems that stop a release, and the text of the changelog about a version."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from extdns import __version__
from release.changelog import Section, parse_changelog
from release.check import ROOT, find_problems

TAG = f"v{__version__}"
CHANGED = ("CHANGELOG.md", "Dockerfile", "charts/extdns/Chart.yaml")


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Return a copy of the files that are checked, in which the version has the date of its release."""
    for name in CHANGED:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    replace(tmp_path / "CHANGELOG.md", "(unreleased)", "(2026-12-01)")
    return tmp_path


def replace(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_the_release_check_finds_no_problem_in_this_repository() -> None:
    assert list(find_problems(ROOT, __version__)) == []


def test_the_release_check_accepts_a_version_that_has_its_date_in_the_changelog(copy: Path) -> None:
    assert list(find_problems(copy, __version__, TAG)) == []


def test_the_release_check_reports_a_tag_of_another_version(copy: Path) -> None:
    (problem,) = find_problems(copy, __version__, "v9.9.9")
    assert problem == (
        f"the tag is v9.9.9, extdns/__init__.py has version {__version__}: tag {TAG}, or change __version__"
    )


@pytest.mark.parametrize(
    ("old", "field"),
    [
        pytest.param(f"\nversion: {__version__}", "version", id="chart"),
        pytest.param(f"\nappVersion: {__version__}", "appVersion", id="program"),
        pytest.param(f"extdns/extdns:{__version__}", "the image of artifacthub.io/images", id="image"),
    ],
)
def test_the_release_check_reports_another_version_in_the_chart(copy: Path, old: str, field: str) -> None:
    replace(copy / "charts/extdns/Chart.yaml", old, old.replace(__version__, "9.9.9"))
    (problem,) = find_problems(copy, __version__, TAG)
    assert problem == f"charts/extdns/Chart.yaml: {field} is 9.9.9, not {__version__}"


def test_the_release_check_reports_a_missing_date_in_the_changelog(copy: Path) -> None:
    replace(copy / "CHANGELOG.md", "(2026-12-01)", "(unreleased)")
    (problem,) = find_problems(copy, __version__, TAG)
    assert problem == "CHANGELOG.md: the heading has (unreleased), not the date of the release as (YYYY-MM-DD)"


def test_the_release_check_reports_a_changelog_whose_newest_section_is_about_another_version(copy: Path) -> None:
    replace(copy / "CHANGELOG.md", f"## {__version__} (", "## 9.9.9 (2026-12-24)\n\n- New.\n\n## 0.0.1 (")
    (problem,) = find_problems(copy, __version__, TAG)
    assert problem == f"CHANGELOG.md: the first heading is about 9.9.9, not {__version__}"


def test_the_release_check_reports_a_version_without_text_in_the_changelog(copy: Path) -> None:
    (copy / "CHANGELOG.md").write_text(f"# Changelog\n\n## {__version__} (2026-12-01)\n")
    (problem,) = find_problems(copy, __version__, TAG)
    assert problem == f"CHANGELOG.md: nothing is said about {__version__}"


@pytest.mark.parametrize("base", ["python:3.13-slim", "python@sha256:" + "0" * 64, "python:3.13@sha256:0"])
def test_the_release_check_reports_a_base_image_that_lacks_a_tag_or_a_digest(copy: Path, base: str) -> None:
    (copy / "Dockerfile").write_text(f"FROM --platform=$BUILDPLATFORM {base} AS build\n")
    (problem,) = find_problems(copy, __version__)
    assert problem == f"Dockerfile: the base {base} is not pinned: write NAME:TAG@sha256:DIGEST"


def test_parsing_a_changelog_returns_each_version_with_its_date_and_text() -> None:
    text = (
        "# Changelog\n\nIntroduction.\n\n## 1.1.0 (unreleased)\n\n### Added\n\n- B.\n\n## 1.0.0 (2026-01-02)\n\n- A.\n"
    )
    assert parse_changelog(text) == (
        Section("1.1.0", "unreleased", "### Added\n\n- B."),
        Section("1.0.0", "2026-01-02", "- A."),
    )
