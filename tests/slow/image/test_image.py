"""The program in the image, as far as it can be tested without a container runtime: its folder is built here."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

from extdns import __version__
from release.image_root import AWS_SERVICES
from release.requirements import parse_requirements
from tests.fakes.apiserver.server import ApiServer
from tests.fakes.clouddns.server import PROJECT, CloudDns
from tests.fakes.route53.server import Route53
from tests.objects import service
from tests.octodns_config import describe_yaml, write_config
from tests.slow.image.conftest import EPOCH, build_root
from tests.slow.image.copy_installed import copy_packages
from tests.slow.image.dockerfile import ROOT

HANGS_S: Final = 120.0


def run(root: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the installed program by its path, with exactly *variables* as its environment."""
    return subprocess.run(
        (root / "bin" / "external-dns", *arguments),
        cwd="/",
        env=variables,
        capture_output=True,
        text=True,
        timeout=HANGS_S,
        check=False,
    )


def test_the_program_is_installed_as_extdns_and_external_dns(image_root: Path) -> None:
    assert run(image_root, "--version").stdout == f"extdns {__version__}\n"
    ours, alias = (image_root / "bin" / name for name in ("extdns", "external-dns"))
    assert ours.read_text() == alias.read_text()


def test_in_the_image_the_packages_extdns_providers_and_registry_have_the_same_files_as_in_the_repository(
    image_root: Path,
) -> None:
    for package in ("extdns", "providers", "registry"):
        assert files(image_root / "lib" / package) == files(ROOT / package)


def files(folder: Path) -> set[Path]:
    found = {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()}
    return {path for path in found if path.parent.name != "__pycache__"}


def test_installed_files_are_writable_only_by_their_owner_and_only_extdns_and_external_dns_are_executable(
    image_root: Path,
) -> None:
    modes = {path.stat().st_mode & 0o777 for path in image_root.rglob("*") if path.is_file()}
    folders = {path.stat().st_mode & 0o777 for path in image_root.rglob("*") if path.is_dir()}
    assert modes == {0o644, 0o755}
    assert folders == {0o755}
    assert {path.name for path in image_root.rglob("*") if path.is_file() and os.access(path, os.X_OK)} == {
        "extdns",
        "external-dns",
    }


def test_the_image_has_only_the_used_aws_service_data_and_its_packages_stay_below_their_size_limits(
    image_root: Path,
) -> None:
    packages = image_root / "lib"
    data = packages / "botocore" / "data"
    assert {path.name for path in data.iterdir() if path.is_dir()} == AWS_SERVICES
    assert size(packages / "botocore") < 12_000_000
    assert size(packages / "kubernetes") < 4_000_000
    assert size(packages / "cel") < 7_000_000  # nearly all of it is the compiled evaluator of the rules
    assert size(image_root) - size(packages / "cel") < 97_000_000


def size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def test_two_builds_of_the_image_contents_have_the_same_bytes_modes_and_times(image_root: Path, tmp_path: Path) -> None:
    again = build_root(tmp_path / "again", prefix=image_root)
    assert contents(again) == contents(image_root)


def contents(root: Path) -> dict[Path, tuple[int, float, bytes]]:
    found: dict[Path, tuple[int, float, bytes]] = {}
    for path in (root, *root.rglob("*")):
        status = path.stat()
        assert status.st_mtime == EPOCH, path
        found[path.relative_to(root)] = (
            status.st_mode,
            status.st_mtime,
            path.read_bytes() if path.is_file() else b"",
        )
    return found


def test_the_installed_program_publishes_a_service_into_route_53_and_writes_no_file(
    image_root: Path, tmp_path: Path
) -> None:
    with ApiServer(tls=True, token="t") as server, Route53() as route53:
        server.put(service("web", "web.example.org"))
        zone = route53.add_zone("example.org")
        before = state(image_root)
        config = server.kubeconfig(tmp_path / "kubeconfig")
        done = run(
            image_root,
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
    assert state(image_root) == before, "the root file system is read-only"


def state(folder: Path) -> dict[Path, int]:
    return {path: path.lstat().st_mtime_ns for path in folder.rglob("*")}


def deployment_arguments(*more: str) -> Sequence[str]:
    """Return the arguments of a typical deployment of external-dns."""
    return (
        *("--source=service", "--source=ingress", "--provider=aws", "--policy=upsert-only", "--registry=txt"),
        *("--aws-zone-type=public", "--domain-filter=example.org", "--once", "--metrics-address=127.0.0.1:0", *more),
    )


def test_the_installed_program_publishes_into_cloud_dns_with_encrypted_ownership_records(
    image_root: Path, tmp_path: Path
) -> None:
    (tmp_path / "web.yaml").write_text(
        "{apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop, annotations: "
        "{external-dns.alpha.kubernetes.io/hostname: web.acme.test}}, "
        "spec: {type: LoadBalancer}, status: {loadBalancer: {ingress: [{ip: 192.0.2.1}]}}}"
    )
    with CloudDns() as fake:
        zone = fake.add_zone("acme.test")
        done = run(
            image_root,
            *("--source=service", f"--manifests={tmp_path}", "--provider=google", f"--google-project={PROJECT}"),
            *(f"--google-api-endpoint={fake.url}", "--txt-owner-id=me", "--once", "--metrics-address=127.0.0.1:0"),
            *("--txt-encrypt-enabled", f"--txt-encrypt-aes-key={'k' * 32}"),
            CLOUDSDK_CONFIG=str(tmp_path),
        )
        assert done.returncode == 0, done.stderr
        assert [record.name for record in fake.records(zone)] == ["a-web.acme.test.", "web.acme.test."]


@pytest.mark.parametrize("service_name", ["sts", "sso", "sso-oidc", "route53", "servicediscovery"])
def test_boto3_clients_of_all_services_in_use_can_be_created(image_root: Path, service_name: str) -> None:
    code = f"import boto3; boto3.client({service_name!r}, region_name='eu-central-1')"
    assert run_python(image_root, code) == ""


def run_python(root: Path, code: str) -> str:
    """Run *code* with only the packages of the image. Return its error output."""
    launcher = (root / "bin" / "extdns").read_text(encoding="utf-8")
    python, *options = launcher.partition("\n")[0].removeprefix("#!").split()
    command = (python, *options, "-I", "-c", f"import sys; sys.path.insert(0, {str(root / 'lib')!r}); {code}")
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd="/").stderr


def test_the_image_uses_octodns_packages_from_a_folder_that_pythonpath_names(image_root: Path, tmp_path: Path) -> None:
    names = {"octodns", "fqdn", "natsort"}
    found = parse_requirements((ROOT / "requirements-dev.txt").read_text(encoding="utf-8"))
    copy_packages([one for one in found if one.name in names], tmp_path / "packages")
    (tmp_path / "web.json").write_text(json.dumps(service("web", "web.example.org", address="192.0.2.1")))
    config = write_config(tmp_path, describe_yaml(tmp_path), ("example.org",))
    flags = (
        *("plan", "--provider=octodns", f"--octodns-config={config}", "--source=service", "--txt-owner-id=me"),
        f"--manifests={tmp_path}/web.json",
    )
    without = run(image_root, *flags)
    assert "install it: pip install 'octodns<2'" in without.stderr
    done = run(image_root, *flags, PYTHONPATH=str(tmp_path / "packages"))
    assert "web.example.org" in done.stdout, done.stderr
    assert done.returncode == 2, done.stderr
