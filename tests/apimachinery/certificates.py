"""A CA of our own, with a certificate for the server and one for an administrator, made by the openssl command."""

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
class Pair:
    """A certificate with its key, as files."""

    certificate: Path
    key: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificates:
    """What the server and its clients prove themselves with. *admin* may do anything (`system:masters`)."""

    ca: Pair
    server: Pair
    admin: Pair

    def context(self) -> ssl.SSLContext:
        """Give what a client needs that is *admin*, and knows the CA."""
        context = ssl.create_default_context(cafile=self.ca.certificate)
        context.load_cert_chain(self.admin.certificate, self.admin.key)
        return context


def make(folder: Path) -> Certificates:
    """Make all of them in *folder*.

    Raises:
        FileNotFoundError: There is no openssl command.
    """
    ca = _made(folder, "ca", "/CN=test-ca", "basicConstraints=critical,CA:TRUE", "keyUsage=critical,keyCertSign")
    return Certificates(
        ca=ca,
        server=_made(folder, "server", "/CN=apiserver", *_SERVER, issuer=ca),
        admin=_made(folder, "admin", "/O=system:masters/CN=admin", "extendedKeyUsage=clientAuth", issuer=ca),
    )


def _made(folder: Path, name: str, subject: str, *extensions: str, issuer: Pair | None = None) -> Pair:
    pair = Pair(certificate=folder / f"{name}.crt", key=folder / f"{name}.key")
    command: list[str | Path] = [*_REQUEST, "-subj", subject, "-keyout", pair.key, "-out", pair.certificate]
    if issuer is not None:
        command += ["-CA", issuer.certificate, "-CAkey", issuer.key, "-addext", "basicConstraints=CA:FALSE"]
    for extension in extensions:
        command += ["-addext", extension]
    subprocess.run(command, check=True, capture_output=True)
    return pair
