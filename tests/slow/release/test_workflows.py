"""The workflows: pinned actions, least permissions, and steps that are scripts."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from release.check import ROOT
from tests.required_programs import require_program

Json = dict[str, Any]
WORKFLOWS: Final = sorted((ROOT / ".github" / "workflows").iterdir())
PINNED: Final = re.compile(r"[\w-]+/[\w/-]+@[0-9a-f]{40}")
WRITES: Final = {("release.yml", "publish"): {"attestations", "contents", "id-token", "packages"}}
"""The only job that may write, and what."""


def read(name: str) -> Json:
    """Return a workflow. YAML 1.1 reads its key `on` as true."""
    found: Json = yaml.safe_load((ROOT / ".github" / "workflows" / name).read_text(encoding="utf-8"))
    return {str(key): value for key, value in found.items()}


def list_jobs() -> Iterator[tuple[str, str, Json]]:
    for path in WORKFLOWS:
        yield from ((path.name, name, job) for name, job in read(path.name)["jobs"].items())


def list_steps() -> Iterator[Json]:
    for _, _, job in list_jobs():
        yield from job.get("steps", ())


def test_every_action_is_pinned_by_its_commit_with_its_version_in_a_comment() -> None:
    used = {step["uses"] for step in list_steps() if "uses" in step}
    assert [name for name in used if not PINNED.fullmatch(name)] == []
    for path in WORKFLOWS:
        for line in path.read_text(encoding="utf-8").splitlines():
            assert "uses: " not in line or "uses: ./" in line or re.search(r" # v\d+\.\d+\.\d+$", line), line


def test_each_action_is_pinned_to_the_same_commit_in_every_workflow() -> None:
    used = {step["uses"] for step in list_steps() if "uses" in step}
    assert len({name.partition("@")[0] for name in used}) == len(used)


def test_only_the_jobs_that_publish_have_write_permissions() -> None:
    for file, name, job in list_jobs():
        written = {scope for scope, access in job["permissions"].items() if access != "read"}
        assert written == WRITES.get((file, name), set()), (file, name)
    assert [read(path.name)["permissions"] for path in WORKFLOWS] == [{}] * len(WORKFLOWS)


def test_checkouts_store_no_credentials_and_every_job_has_a_time_limit() -> None:
    for _, name, job in list_jobs():
        assert "uses" in job or job["timeout-minutes"] <= 90, name
    checkouts = [step for step in list_steps() if step.get("uses", "").startswith("actions/checkout@")]
    assert checkouts
    assert all(step["with"]["persist-credentials"] is False for step in checkouts)


def test_workflow_commands_only_call_scripts_or_make_targets_and_contain_no_expression() -> None:
    commands = [step["run"] for step in list_steps() if "run" in step]
    assert [command for command in commands if "${{" in command] == [], "an expression could contain a command"
    assert {command for command in commands if not re.search(r"(^|[ ])\.ci/(run$|release )", command)} == {"make test"}


def test_a_release_is_tested_and_built_before_it_is_published() -> None:
    workflow = read("release.yml")
    assert workflow["True"] == {"push": {"tags": ["v*"]}}
    jobs = workflow["jobs"]
    assert jobs["ci"]["uses"] == "./.github/workflows/ci.yml"
    assert (jobs["build"]["needs"], jobs["publish"]["needs"]) == ("ci", "build")
    steps = [step["run"] for name in ("build", "publish") for step in jobs[name]["steps"] if "run" in step]
    assert steps == [
        '.ci/release check "$GITHUB_REF_NAME"',
        ".ci/release build",
        ".ci/release audit",
        ".ci/release login",
        ".ci/release publish",
    ]


def test_no_workflow_script_or_dockerfile_names_the_registry_of_the_image() -> None:
    chart = yaml.safe_load((ROOT / "charts" / "extdns" / "Chart.yaml").read_text(encoding="utf-8"))
    (image,) = yaml.safe_load(chart["annotations"]["artifacthub.io/images"])
    registry = image["image"].partition("/")[0]
    for path in (*WORKFLOWS, ROOT / ".ci" / "release", ROOT / "Dockerfile"):
        assert registry not in path.read_text(encoding="utf-8"), path


def test_dependabot_updates_everything_that_is_pinned() -> None:
    updates = yaml.safe_load((ROOT / ".github" / "dependabot.yml").read_text(encoding="utf-8"))["updates"]
    found = {update["package-ecosystem"]: update["directory"] for update in updates}
    assert found == {"docker": "/", "github-actions": "/", "pip": "/", "gomod": "/tests/gotemplate/oracle"}
    for name, file in (("docker", "Dockerfile"), ("pip", "requirements.txt"), ("gomod", "go.mod")):
        assert (ROOT / found[name].strip("/") / file).is_file()
    assert {update["schedule"]["interval"] for update in updates} == {"weekly"}


def test_actionlint_reports_no_problem() -> None:
    linter = require_program("workflows checked by actionlint", "actionlint")
    done = subprocess.run((linter, "-no-color"), cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout == ""
    assert done.returncode == 0


@pytest.mark.parametrize("path", [Path(".ci/release"), Path(".ci/run")], ids=str)
def test_every_script_that_a_workflow_calls_is_executable(path: Path) -> None:
    assert (ROOT / path).stat().st_mode & 0o111
