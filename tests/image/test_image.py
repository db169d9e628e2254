"""The image as far as it can be built without one: its steps run in a scratch folder, and what they make runs."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

from extdns import __version__
from tests.fakes.apiserver.server import ApiServer
from tests.fakes.route53.server import Route53
from tests.image.dockerfile import ROOT, Scratch, Step, sources, stages, steps
from tests.integration.stage import service

UNREACHABLE: Final = ("NewConnectionError", "name resolution", "ConnectTimeoutError", "ProxyError")
NOBODY: Final = 65532
HANGS_S: Final = 120.0


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Scratch:
    """The first stage, built."""
    made = Scratch(tmp_path_factory.mktemp("image"))
    failure = made.build()
    if any(word in failure for word in UNREACHABLE):
        pytest.skip("NOT RUN: the steps of the Dockerfile (packages cannot be fetched)")
    assert failure == ""
    return made


def run(scratch: Scratch, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the program as a pod would: by its own path, with no more than *variables*."""
    return subprocess.run(
        (scratch.opt / "extdns" / "bin" / "external-dns", *arguments),
        cwd="/",
        env={"PYTHONDONTWRITEBYTECODE": "1", **variables},
        capture_output=True,
        text=True,
        timeout=HANGS_S,
        check=False,
    )


def test_the_linter_of_dockerfiles_finds_nothing() -> None:
    linter = Path(sys.executable).with_name("hadolint")
    done = subprocess.run((linter, ROOT / "Dockerfile"), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_what_is_copied_is_what_is_let_into_the_image() -> None:
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "*"
    assert {line.removeprefix("!") for line in lines if line.startswith("!")} == set(sources())


def test_both_stages_have_the_base_that_is_asked_for() -> None:
    assert steps()[0] == Step("ARG", "BASE=python:3.11-slim-bookworm")
    assert [stage[0].text.split()[0] for stage in stages()] == ["${BASE}", "${BASE}"]


def test_the_image_runs_as_nobody_and_takes_the_arguments_of_the_reference() -> None:
    last = {step.name: step.text for step in stages()[-1]}
    assert last["USER"] == f"{NOBODY}:{NOBODY}"
    assert last["EXPOSE"] == "7979"
    assert last["ENTRYPOINT"] == '["extdns"]'
    assert "PATH=/opt/extdns/bin:$PATH" in last["ENV"]
    assert Step("COPY", "--from=build /opt/extdns/bin/external-dns /bin/external-dns") in stages()[-1]


def test_the_program_starts_by_either_name(scratch: Scratch) -> None:
    assert run(scratch, "--version").stdout == f"extdns {__version__}\n"
    ours, alias = (scratch.opt / "extdns" / "bin" / name for name in ("extdns", "external-dns"))
    assert ours.read_text() == alias.read_text()


def test_what_is_installed_fits_together(scratch: Scratch) -> None:
    python = scratch.opt / "extdns" / "bin" / "python"
    command = (scratch.opt / "build" / "bin" / "pip", "--python", python, "check")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout == "No broken requirements found.\n", done.stdout + done.stderr


def test_all_of_the_program_is_installed(scratch: Scratch) -> None:
    (packages,) = (scratch.opt / "extdns" / "lib").glob("python3*/site-packages")
    for package in ("extdns", "providers", "registry"):
        assert files(packages / package) == files(ROOT / package)


def files(folder: Path) -> set[Path]:
    """The files of a package."""
    found = {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()}
    return {path for path in found if path.parent.name != "__pycache__"}


def test_what_is_not_called_is_left_out(scratch: Scratch) -> None:
    (packages,) = (scratch.opt / "extdns" / "lib").glob("python3*/site-packages")
    data = packages / "botocore" / "data"
    assert {path.name for path in data.iterdir() if path.is_dir()} == {"route53", "signin", "sso", "sso-oidc", "sts"}
    assert size(packages / "botocore") < 12_000_000
    assert size(packages / "kubernetes") < 4_000_000
    assert size(scratch.opt / "extdns") < 120_000_000


def size(folder: Path) -> int:
    """The bytes of all files in a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def test_it_publishes_what_a_cluster_asks_for_into_route_53(scratch: Scratch, tmp_path: Path) -> None:
    with ApiServer(tls=True, token="t") as server, Route53() as route53:
        server.put(service("web", "web.example.org"))
        zone = route53.add_zone("example.org")
        before = state(scratch.root)
        config = server.kubeconfig(tmp_path / "kubeconfig")
        done = run(
            scratch,
            *reference(f"--kubeconfig={config}"),
            EXTERNAL_DNS_TXT_OWNER_ID="me",
            AWS_ACCESS_KEY_ID="AKID",
            AWS_SECRET_ACCESS_KEY="s",
            AWS_REGION="eu-central-1",
            AWS_EC2_METADATA_DISABLED="true",
            AWS_ENDPOINT_URL_ROUTE_53=route53.url,
        )
        assert done.returncode == 0, done.stderr
        assert [record.name for record in route53.records(zone)] == ["a-web.example.org.", "web.example.org."]
    assert state(scratch.root) == before, "the root file system is read-only"


def state(folder: Path) -> dict[Path, int]:
    """When each file and folder was changed."""
    return {path: path.lstat().st_mtime_ns for path in folder.rglob("*")}


def reference(*more: str) -> Sequence[str]:
    """Arguments of a deployment of the reference."""
    return (
        *("--source=service", "--source=ingress", "--provider=aws", "--policy=upsert-only", "--registry=txt"),
        *("--aws-zone-type=public", "--domain-filter=example.org", "--once", "--metrics-address=127.0.0.1:0", *more),
    )


@pytest.mark.parametrize("service_name", ["sts", "sso", "sso-oidc", "route53"])
def test_every_service_that_leads_to_credentials_or_records_is_there(scratch: Scratch, service_name: str) -> None:
    code = f"import boto3; boto3.client({service_name!r}, region_name='eu-central-1')"
    python = scratch.opt / "extdns" / "bin" / "python"
    done = subprocess.run((python, "-c", code), capture_output=True, text=True, check=False, cwd="/")
    assert done.returncode == 0, done.stderr
