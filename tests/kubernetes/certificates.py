"""Create a test CA with a server certificate and an administrator certificate, by the openssl command."""

from __future__ import annotations

import ssl
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_REQUEST: Final = (
    *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-noenc", "-days", "2"),
)
_SERVER: Final = ("extendedKeyUsage=serverAuth", "subjectAltName=IP:127.0.0.1,DNS:localhost")


@dataclass(frozen=True, slots=True, kw_only=True)
class CertificateFiles:
    """The files of a certificate and its key."""

    certificate: Path
    key: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificates:
    """A CA, a server certificate, and a client certificate of an administrator in the group `system:masters`."""

    ca: CertificateFiles
    server: CertificateFiles
    admin: CertificateFiles

    def build_client_context(self) -> ssl.SSLContext:
        """Return the TLS context of a client that authenticates as the administrator and trusts the CA."""
        context = ssl.create_default_context(cafile=self.ca.certificate)
        context.load_cert_chain(self.admin.certificate, self.admin.key)
        return context


def create_certificates(folder: Path) -> Certificates:
    """Create the CA and both certificates in *folder*."""
    ca = create_certificate_files(
        folder, "ca", "/CN=test-ca", "basicConstraints=critical,CA:TRUE", "keyUsage=critical,keyCertSign"
    )
    return Certificates(
        ca=ca,
        server=create_certificate_files(folder, "server", "/CN=apiserver", *_SERVER, issuer=ca),
        admin=create_certificate_files(
            folder, "admin", "/O=system:masters/CN=admin", "extendedKeyUsage=clientAuth", issuer=ca
        ),
    )


def create_certificate_files(
    folder: Path, name: str, common_name: str, *extensions: str, issuer: CertificateFiles | None = None
) -> CertificateFiles:
    files = CertificateFiles(certificate=folder / f"{name}.crt", key=folder / f"{name}.key")
    command: list[str | Path] = [*_REQUEST, "-subj", common_name, "-keyout", files.key, "-out", files.certificate]
    if issuer is not None:
        command += ["-CA", issuer.certificate, "-CAkey", issuer.key, "-addext", "basicConstraints=CA:FALSE"]
    for extension in extensions:
        command += ["-addext", extension]
    subprocess.run(command, check=True, capture_output=True)
    return files
