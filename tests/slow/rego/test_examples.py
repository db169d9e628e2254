"""The policies of examples/policy/rego: their own tests, and what conftest finds in the plan of the demo."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest

from tests.program.process import ROOT, once
from tests.required_programs import require_program

FOLDER: Final = ROOT / "examples" / "policy" / "rego"
PAGE: Final = ROOT / "docs" / "how-to" / "check-a-plan-with-conftest.md"
_HANGS_S: Final = 60.0
_FLAGS: Final = (
    "--manifests=examples/demo",
    "--source=service",
    "--source=ingress",
    "--provider=zonefile",
    "--zonefile-dir=examples/zones",
    "--txt-owner-id=demo",
)


def run(tool: str, *arguments: str | Path, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    command = (require_program("rules in Rego", tool), *arguments)
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=_HANGS_S, check=False)


@pytest.fixture(scope="module")
def demo_plan(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the plan of the demo as JSON, and return its file."""
    path = tmp_path_factory.mktemp("plan") / "plan.json"
    path.write_text(once("plan", *_FLAGS, "--output=json").stdout, encoding="utf-8")
    return path


def find_verdicts(path: Path) -> dict[str, set[tuple[str, str]]]:
    """Return the warnings and failures of conftest about the plan in *path*, each with its rule."""
    arguments = ("test", path, "--policy", FOLDER, "--data", FOLDER / "settings.yaml", "--output=json")
    found: list[dict[str, Any]] = json.loads(run("conftest", *arguments).stdout)
    return {
        kind: {(one["metadata"]["rule"], one["msg"]) for result in found for one in result.get(kind, ())}
        for kind in ("warnings", "failures")
    }


def test_the_example_policies_pass_their_own_tests_in_opa_and_conftest() -> None:
    assert run("opa", "check", "--strict", FOLDER).returncode == 0
    tested = run("opa", "test", FOLDER)
    assert "FAIL" not in tested.stdout
    assert tested.returncode == 0, tested.stdout
    verified = run("conftest", "verify", "--policy", FOLDER, "--data", FOLDER / "settings.yaml")
    assert verified.returncode == 0, verified.stdout


def test_the_example_policies_are_formatted() -> None:
    assert run("opa", "fmt", "--list", FOLDER).stdout == ""


def test_conftest_finds_in_the_plan_of_the_demo_what_each_example_policy_denies(demo_plan: Path) -> None:
    short = "the TTL is 120 seconds, but at least 300 are required"
    assert find_verdicts(demo_plan) == {
        "warnings": {("mass-change", "the plan changes 12 records, which is more than 10")},
        "failures": {
            *(
                ("addresses", f"A {name}.shop.example: {address} is private (10.0.0.0/8), and the zone is public")
                for name, address in (
                    ("cache", "10.96.0.44"),
                    ("postgres", "10.1.0.4"),
                    ("postgres", "10.1.1.9"),
                    ("postgres-0.postgres", "10.1.0.4"),
                    ("postgres-1.postgres", "10.1.1.9"),
                )
            ),
            ("ownership", "A search.shop.example: namespace labs may publish only below: nothing"),
            ("ttl", f"A api.shop.example: {short}"),
            ("ttl", f"AAAA api.shop.example: {short}"),
            ("wildcard", "A *.preview.shop.example: namespace shop may not publish a wildcard"),
        },
    }


def test_conftest_denies_a_plan_with_many_deletes_or_with_input_that_could_not_be_read(
    demo_plan: Path, tmp_path: Path
) -> None:
    plan = json.loads(demo_plan.read_text(encoding="utf-8"))
    deleted: dict[str, Any] = {"action": "delete", "after": None, "objects": []}
    plan["changes"] = [one | deleted for one in plan["changes"]]
    plan["summary"] |= {"create": 0, "delete": len(plan["changes"])}
    plan["missing"] = ["Service: forbidden"]
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(plan), encoding="utf-8")
    assert find_verdicts(path)["failures"] == {
        ("mass-change", "the plan deletes 12 records; allowed: 5"),
        ("complete", "the plan is incomplete: Service: forbidden"),
    }


def test_the_how_to_page_shows_exactly_what_conftest_prints(demo_plan: Path) -> None:
    arguments = ("test", "plan.json", "--policy", FOLDER, "--data", FOLDER / "settings.yaml", "--no-color")
    printed = run("conftest", *arguments, cwd=demo_plan.parent).stdout
    assert f"```text\n{printed}```\n" in PAGE.read_text(encoding="utf-8")
