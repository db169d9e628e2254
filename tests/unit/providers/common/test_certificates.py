"""Find trusted certificates as a Go program does (crypto/x509)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from providers.common import certificates
from providers.common.certificates import find_ca_bundle

PEM = b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = tmp_path / "system.pem"
    file.write_bytes(PEM.replace(b"AAAA", b"SYSTEM"))
    monkeypatch.setattr(certificates, "_BUNDLES", ("/nowhere", str(file)))
    return file


def test_the_certificates_of_the_system_are_trusted_unless_a_variable_names_another_file(system: Path) -> None:
    assert find_ca_bundle({}, sdk_variable="AWS_CA_BUNDLE") == str(system)
    assert find_ca_bundle({"SSL_CERT_FILE": "/some/ca.pem"}, sdk_variable="AWS_CA_BUNDLE") == "/some/ca.pem"


def test_the_certificate_variable_of_the_sdk_takes_precedence(system: Path) -> None:
    assert system.exists()
    assert find_ca_bundle({"AWS_CA_BUNDLE": "/x", "SSL_CERT_FILE": "/y"}, sdk_variable="AWS_CA_BUNDLE") == ""


def test_certificates_in_folders_are_added_to_those_in_the_certificate_file(system: Path, tmp_path: Path) -> None:
    for number in (1, 2):
        folder = tmp_path / f"folder{number}"
        folder.mkdir()
        (folder / "ca.crt").write_bytes(PEM.replace(b"AAAA", b"FOLDER%d" % number))
        (folder / "README").write_text("no certificate")
    found = Path(
        find_ca_bundle(
            {"SSL_CERT_DIR": f"{tmp_path}/folder1:{tmp_path}/folder2:{tmp_path}/absent"}, sdk_variable="AWS_CA_BUNDLE"
        )
    )
    text = found.read_text()
    found.unlink()
    assert [part in text for part in ("SYSTEM", "FOLDER1", "FOLDER2", "README")] == [True, True, True, False]
    assert system.exists()


JOINED: Final = (
    "from providers.common.certificates import find_ca_bundle;"
    " found = find_ca_bundle({}, sdk_variable='X'); open(found).close()"
)


@pytest.mark.parametrize(
    ("file", "exit_line", "code"),
    [
        pytest.param("ca.crt", "", 0, id="at-the-end"),
        pytest.param("ca.crt", "raise SystemExit(3)", 3, id="when-the-program-gives-up"),
        pytest.param("absent", "", 1, id="when-a-file-cannot-be-read"),
    ],
)
def test_the_temporary_file_of_joined_certificates_is_removed_at_exit(
    tmp_path: Path, file: str, exit_line: str, code: int
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "scratch").mkdir()
    (tmp_path / "ca.crt").write_bytes(PEM)
    value = {"SSL_CERT_FILE": str(tmp_path / file), "SSL_CERT_DIR": str(tmp_path / "folder")}
    program = f"{JOINED.format(value)}; {exit_line}"
    done = subprocess.run(
        [sys.executable, "-c", program], env={"TMPDIR": str(tmp_path / "scratch")}, check=False, stderr=subprocess.PIPE
    )
    assert done.returncode == code, done.stderr
    assert not list((tmp_path / "scratch").iterdir())


def test_without_a_certificate_file_of_the_system_the_sdk_uses_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(certificates, "_BUNDLES", ())
    assert find_ca_bundle({}, sdk_variable="AWS_CA_BUNDLE") == ""
