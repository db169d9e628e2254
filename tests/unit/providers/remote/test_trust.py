"""Whom the SDK trusts: as a Go program would (crypto/x509)."""

from __future__ import annotations

from pathlib import Path

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


def test_without_any_file_the_sdk_has_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trust, "_FILES", ())
    assert trust.bundle({}, before="AWS_CA_BUNDLE") == ""
