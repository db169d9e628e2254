"""The image, as far as it can be tested without a container runtime: its steps run in a scratch folder."""

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
from tests.objects import service

NOBODY: Final = 65532
HANGS_S: Final = 120.0


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Scratch:
    """Run the first stage of the Dockerfile."""
    made = Scratch(tmp_path_factory.mktemp("image"))
    assert made.build() == ""
    return made


def run(scratch: Scratch, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the installed program by its path, with exactly *variables* as its environment."""
    return subprocess.run(
        (scratch.opt / "extdns" / "bin" / "external-dns", *arguments),
        cwd="/",
        env={"PYTHONDONTWRITEBYTECODE": "1", **variables},
        capture_output=True,
        text=True,
        timeout=HANGS_S,
        check=False,
    )


def test_hadolint_reports_no_problem_in_the_dockerfile() -> None:
    linter = Path(sys.executable).with_name("hadolint")
    done = subprocess.run((linter, ROOT / "Dockerfile"), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_dockerignore_allows_exactly_the_paths_that_are_copied() -> None:
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "*"
    assert {line.removeprefix("!") for line in lines if line.startswith("!")} == set(sources())


def test_both_stages_use_the_base_image_of_the_build_argument() -> None:
    assert steps()[0] == Step("ARG", "BASE=python:3.11-slim-bookworm")
    assert [stage[0].text.split()[0] for stage in stages()] == ["${BASE}", "${BASE}"]


def test_the_image_has_a_non_root_user_port_entrypoint_and_the_external_dns_path() -> None:
    last = {step.name: step.text for step in stages()[-1]}
    assert last["USER"] == f"{NOBODY}:{NOBODY}"
    assert last["EXPOSE"] == "7979"
    assert last["ENTRYPOINT"] == '["extdns"]'
    assert "PATH=/opt/extdns/bin:$PATH" in last["ENV"]
    assert Step("COPY", "--from=build /opt/extdns/bin/external-dns /bin/external-dns") in stages()[-1]


def test_the_program_is_installed_as_extdns_and_external_dns(scratch: Scratch) -> None:
    assert run(scratch, "--version").stdout == f"extdns {__version__}\n"
    ours, alias = (scratch.opt / "extdns" / "bin" / name for name in ("extdns", "external-dns"))
    assert ours.read_text() == alias.read_text()


def test_pip_check_reports_no_broken_requirement(scratch: Scratch) -> None:
    python = scratch.opt / "extdns" / "bin" / "python"
    command = (scratch.opt / "build" / "bin" / "pip", "--python", python, "check")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout == "No broken requirements found.\n", done.stdout + done.stderr


def test_every_file_of_the_program_is_installed(scratch: Scratch) -> None:
    (packages,) = (scratch.opt / "extdns" / "lib").glob("python3*/site-packages")
    for package in ("extdns", "providers", "registry"):
        assert files(packages / package) == files(ROOT / package)


def files(folder: Path) -> set[Path]:
    """Return the relative paths of all files of a package."""
    found = {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()}
    return {path for path in found if path.parent.name != "__pycache__"}


def test_unused_data_is_removed_and_the_installation_stays_small(scratch: Scratch) -> None:
    (packages,) = (scratch.opt / "extdns" / "lib").glob("python3*/site-packages")
    data = packages / "botocore" / "data"
    assert {path.name for path in data.iterdir() if path.is_dir()} == {"route53", "signin", "sso", "sso-oidc", "sts"}
    assert size(packages / "botocore") < 12_000_000
    assert size(packages / "kubernetes") < 4_000_000
    assert size(scratch.opt / "extdns") < 120_000_000


def size(folder: Path) -> int:
    """Return the size of all files in a folder, in bytes."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def test_the_installed_program_publishes_a_service_into_route_53_and_writes_no_file(
    scratch: Scratch, tmp_path: Path
) -> None:
    with ApiServer(tls=True, token="t") as server, Route53() as route53:
        server.put(service("web", "web.example.org"))
        zone = route53.add_zone("example.org")
        before = state(scratch.root)
        config = server.kubeconfig(tmp_path / "kubeconfig")
        done = run(
            scratch,
            *deployment_arguments(f"--kubeconfig={config}"),
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
    """Return the modification time of each file and folder."""
    return {path: path.lstat().st_mtime_ns for path in folder.rglob("*")}


def deployment_arguments(*more: str) -> Sequence[str]:
    """Return the arguments of a typical deployment of external-dns."""
    return (
        *("--source=service", "--source=ingress", "--provider=aws", "--policy=upsert-only", "--registry=txt"),
        *("--aws-zone-type=public", "--domain-filter=example.org", "--once", "--metrics-address=127.0.0.1:0", *more),
    )


@pytest.mark.parametrize("service_name", ["sts", "sso", "sso-oidc", "route53"])
def test_boto3_clients_for_credentials_and_route_53_can_be_created(scratch: Scratch, service_name: str) -> None:
    code = f"import boto3; boto3.client({service_name!r}, region_name='eu-central-1')"
    python = scratch.opt / "extdns" / "bin" / "python"
    done = subprocess.run((python, "-c", code), capture_output=True, text=True, check=False, cwd="/")
    assert done.returncode == 0, done.stderr
