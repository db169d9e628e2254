"""`.ci/release`: what it publishes, in which order, and where it stops. Programs that publish are replaced by stubs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest
import yaml

from extdns import __version__
from release.check import ROOT

SCRIPT: Final = ROOT / ".ci" / "release"
METADATA: Final = yaml.safe_load((ROOT / "charts" / "extdns" / "Chart.yaml").read_text(encoding="utf-8"))
IMAGE: Final[str] = yaml.safe_load(METADATA["annotations"]["artifacthub.io/images"])[0]["image"]
REPOSITORY: Final = IMAGE.rpartition(":")[0]
CHARTS: Final = f"{REPOSITORY.rpartition('/')[0]}/charts"
IMAGE_DIGEST: Final = "sha256:" + "1" * 64
CHART_DIGEST: Final = "sha256:" + "2" * 64
STUBS: Final = {
    "docker": f"""echo '{{"containerimage.digest": "{IMAGE_DIGEST}"}}' >dist/image.json""",
    "helm": f'echo "Pushed: chart"; echo "Digest: {CHART_DIGEST}"',
    "cosign": "",
    "gh": "",
}
STEPS: Final = ["check", "build", "audit", "try-image", "login", "publish"]


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """Create a checkout with what the script reads, and stubs that log how they are called."""
    subprocess.run(("git", "clone", "--quiet", "--shared", "--no-checkout", ROOT, tmp_path / "clone"), check=True)
    for name in (".ci/release", "CHANGELOG.md", "Dockerfile", "charts/extdns/Chart.yaml", "extdns/__init__.py"):
        (tmp_path / "clone" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / "clone" / name)
    shutil.copytree(ROOT / "release", tmp_path / "clone" / "release")
    (tmp_path / "clone" / "dist").mkdir()
    (tmp_path / "bin").mkdir()
    for name, text in STUBS.items():
        provide(tmp_path, name, text)
    return tmp_path


def provide(folder: Path, name: str, text: str) -> None:
    """Replace a program by a stub that logs its arguments and then runs *text*."""
    stub = folder / "bin" / name
    stub.write_text(f'#!/bin/sh\necho "{name} $*" >>{folder}/log\n{text}\n')
    stub.chmod(0o755)


def run_script(clone: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        (".ci/release", *arguments),
        cwd=clone / "clone",
        env={**os.environ, "PATH": f"{clone / 'bin'}:{os.environ['PATH']}", "SOURCE_DATE_EPOCH": "1700000000"},
        capture_output=True,
        text=True,
        check=False,
    )


def read_calls(clone: Path) -> list[str]:
    log = clone / "log"
    return log.read_text().splitlines() if log.exists() else []


def release(clone: Path, *arguments: str) -> tuple[int, list[str]]:
    return run_script(clone, *arguments).returncode, read_calls(clone)


def test_a_release_pushes_and_signs_the_image_and_the_chart_before_it_is_published(clone: Path) -> None:
    code, calls = release(clone, "publish")
    assert code == 0
    create, build, sign_image, push_chart, sign_chart, sign_files, publish = calls
    assert create == "docker buildx create --use --driver=docker-container"
    assert build.startswith("docker buildx build --platform=linux/amd64,linux/arm64 ")
    assert sign_image == f"cosign sign --yes {REPOSITORY}@{IMAGE_DIGEST}"
    assert push_chart == f"helm push dist/extdns-{__version__}.tgz oci://{CHARTS}"
    assert sign_chart == f"cosign sign --yes {CHARTS}/extdns@{CHART_DIGEST}"
    assert sign_files == "cosign sign-blob --yes --bundle=dist/SHA256SUMS.sigstore.json dist/SHA256SUMS"
    assert publish.startswith(f"gh release create v{__version__} --verify-tag ")
    text = (clone / "clone" / "dist" / "notes.md").read_text()
    assert text.startswith("The first version.")
    assert "\n### Added" in text
    assert "\n## " not in text


def test_the_image_is_built_with_version_and_commit_attestations_and_reproducible_times(clone: Path) -> None:
    _, (_, build, *_) = release(clone, "publish")
    revision = subprocess.run(("git", "rev-parse", "HEAD"), cwd=ROOT, capture_output=True, text=True, check=True)
    for option in (
        f"--build-arg=VERSION={__version__}",
        f"--build-arg=REVISION={revision.stdout.strip()}",
        "--build-arg=CREATED=2023-11-14T22:13:20+00:00",
        f"--build-arg=SOURCE={METADATA['home']}",
        "--build-arg=SOURCE_DATE_EPOCH=1700000000",
        "--attest=type=provenance,mode=max",
        "--attest=type=sbom",
        f"--output=type=image,name={IMAGE},push=true,rewrite-timestamp=true",
    ):
        assert f" {option} " in build


def test_a_dry_run_of_a_release_prints_the_commands_and_runs_none(clone: Path) -> None:
    printed = run_script(clone, "--dry-run", "publish")
    assert (printed.returncode, read_calls(clone)) == (0, [])
    programs = [line.partition(" ")[0] for line in printed.stdout.splitlines()]
    assert programs == ["docker", "docker", "cosign", "helm", "cosign", "cosign", "gh"]


@pytest.mark.parametrize(
    ("failing", "reached"),
    [
        pytest.param("docker", ["docker"], id="image"),
        pytest.param("cosign", ["docker", "docker", "cosign"], id="signature"),
        pytest.param("helm", ["docker", "docker", "cosign", "helm"], id="chart"),
    ],
)
def test_a_release_stops_at_the_first_command_that_fails(clone: Path, failing: str, reached: list[str]) -> None:
    provide(clone, failing, "exit 1")
    code, calls = release(clone, "publish")
    assert code != 0
    assert [call.partition(" ")[0] for call in calls] == reached


def test_a_release_fails_and_does_not_sign_the_chart_if_helm_push_prints_no_digest(clone: Path) -> None:
    provide(clone, "helm", "echo Pushed")
    code, calls = release(clone, "publish")
    assert code != 0
    assert [call.partition(" ")[0] for call in calls] == ["docker", "docker", "cosign", "helm"]


@pytest.mark.parametrize(
    ("failing", "programs"),
    [
        pytest.param("pip-audit", ["pip-audit"], id="requirements"),
        pytest.param("trivy", ["pip-audit", "docker", "trivy"], id="image"),
        pytest.param("", ["pip-audit", "docker", "trivy"], id="neither"),
    ],
)
def test_the_audit_fails_if_a_vulnerability_of_the_requirements_or_the_image_is_known(
    clone: Path, failing: str, programs: list[str]
) -> None:
    for name in ("pip-audit", "trivy"):
        provide(clone, name, "exit 1" if name == failing else "")
    provide(clone, "python3", 'test "$2" != venv || { mkdir -p "$3" && ln -s "${0%/*}" "$3/bin"; }')
    provide(clone, "python", "")
    code, calls = release(clone, "audit")
    assert bool(code) is bool(failing)
    started = [call.partition(" ")[0] for call in calls]
    assert [program for program in started if program in {"pip-audit", "docker", "trivy"}] == programs


def test_the_release_signs_in_at_the_registry_of_the_image_and_passes_the_token_on_standard_input(
    clone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REGISTRY_USER", "bot")
    monkeypatch.setenv("REGISTRY_TOKEN", "secret")
    code, calls = release(clone, "login")
    registry = IMAGE.partition("/")[0]
    assert code == 0
    assert calls == [
        f"docker login {registry} --username=bot --password-stdin",
        f"helm registry login {registry} --username=bot --password-stdin",
    ]


@pytest.mark.parametrize("arguments", [(), ("nothing",)], ids=["no-step", "unknown-step"])
def test_without_a_known_step_the_release_script_runs_nothing_and_lists_its_steps(
    clone: Path, arguments: tuple[str, ...]
) -> None:
    ended = run_script(clone, *arguments)
    assert (ended.returncode, read_calls(clone)) == (2, [])
    assert re.findall(r"^  ([a-z-]+)", ended.stderr, re.MULTILINE) == STEPS
