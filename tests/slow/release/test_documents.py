"""Documents about versions: security policy, support, upgrade notes and the forms of issues."""

from __future__ import annotations

import re

import yaml

from release.changelog import parse_changelog
from release.check import ROOT


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_every_version_of_the_changelog_has_upgrade_notes() -> None:
    versions = [section.version for section in parse_changelog(read("CHANGELOG.md"))]
    described = re.findall(r"^### (\d\S*)$", read("docs/how-to/upgrade.md"), re.MULTILINE)
    assert described == versions


def test_the_changelog_groups_the_changes_of_each_version() -> None:
    for section in parse_changelog(read("CHANGELOG.md")):
        groups = re.findall(r"^### (\w+)", section.text, re.MULTILINE)
        assert groups
        assert set(groups) <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def test_the_supported_versions_are_those_of_the_chart_and_the_package() -> None:
    support = read("docs/reference/support.md")
    (kubernetes,) = re.findall(r'^kubeVersion: ">=(\d+\.\d+)', read("charts/extdns/Chart.yaml"), re.MULTILINE)
    (python,) = re.findall(r'^requires-python = ">=([\d.]+)"', read("pyproject.toml"), re.MULTILINE)
    assert f"| Kubernetes | {kubernetes} and newer" in support
    assert f"Python {python} or newer" in support


def test_vulnerabilities_are_reported_privately_and_not_as_issues() -> None:
    config = yaml.safe_load(read(".github/ISSUE_TEMPLATE/config.yml"))
    assert config["blank_issues_enabled"] is False
    assert config["contact_links"][0]["url"].endswith("/security/advisories/new")
    assert "Report it privately" in read("SECURITY.md")
