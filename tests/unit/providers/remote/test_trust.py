"""Whom the SDK trusts: as a Go program would (crypto/x509)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from providers.remote import trust

PEM = b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = tmp_path / "system.pem"
    file.write_bytes(PEM.replace(b"AAAA", b"SYSTEM"))
    monkeypatch.setattr(trust, "_FILES", ("/nowhere", str(file)))
    return file


def test_the_systems_file_is_trusted_unless_a_variable_names_another(system: Path) -> None:
    assert trust.bundle({}, before="AWS_CA_BUNDLE") == str(system)
    assert trust.bundle({"SSL_CERT_FILE": "/some/ca.pem"}, before="AWS_CA_BUNDLE") == "/some/ca.pem"


def test_the_sdks_own_variable_comes_first(system: Path) -> None:
    assert system.exists()
    assert trust.bundle({"AWS_CA_BUNDLE": "/x", "SSL_CERT_FILE": "/y"}, before="AWS_CA_BUNDLE") == ""


def test_folders_are_read_file_by_file_beside_the_file(system: Path, tmp_path: Path) -> None:
    for number in (1, 2):
        folder = tmp_path / f"folder{number}"
        folder.mkdir()
        (folder / "ca.crt").write_bytes(PEM.replace(b"AAAA", b"FOLDER%d" % number))
        (folder / "README").write_text("no certificate")
    found = Path(
        trust.bundle(
            {"SSL_CERT_DIR": f"{tmp_path}/folder1:{tmp_path}/folder2:{tmp_path}/absent"}, before="AWS_CA_BUNDLE"
        )
    )
    text = found.read_text()
    found.unlink()
    assert [part in text for part in ("SYSTEM", "FOLDER1", "FOLDER2", "README")] == [True, True, True, False]
    assert system.exists()


JOINED: Final = "from providers.remote.trust import bundle; found = bundle({}, before='X'); open(found).close()"


@pytest.mark.parametrize(
    ("file", "ending", "code"),
    [
        pytest.param("ca.crt", "", 0, id="at-the-end"),
        pytest.param("ca.crt", "raise SystemExit(3)", 3, id="when-the-program-gives-up"),
        pytest.param("absent", "", 1, id="when-a-file-cannot-be-read"),
    ],
)
def test_what_was_joined_is_removed(tmp_path: Path, file: str, ending: str, code: int) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "scratch").mkdir()
    (tmp_path / "ca.crt").write_bytes(PEM)
    given = {"SSL_CERT_FILE": str(tmp_path / file), "SSL_CERT_DIR": str(tmp_path / "folder")}
    program = f"{JOINED.format(given)}; {ending}"
    done = subprocess.run(
        [sys.executable, "-c", program], env={"TMPDIR": str(tmp_path / "scratch")}, check=False, stderr=subprocess.PIPE
    )
    assert done.returncode == code, done.stderr
    assert not list((tmp_path / "scratch").iterdir())


def test_without_any_file_the_sdk_has_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trust, "_FILES", ())
    assert trust.bundle({}, before="AWS_CA_BUNDLE") == ""
