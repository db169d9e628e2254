"""Create a self-signed certificate for loopback by the openssl command."""

from __future__ import annotations

import ssl
import subprocess
from pathlib import Path
from typing import Final

_REQUEST: Final = (
    *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-noenc", "-days", "2"),
    *("-subj", "/CN=fake-apiserver", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"),
    *("-addext", "keyUsage=critical,digitalSignature,keyCertSign"),
)


def create_certificate(folder: Path) -> tuple[ssl.SSLContext, bytes]:
    """Create a key and a certificate in *folder*. Return the server's TLS context, and the CA certificate in PEM."""
    key, certificate = folder / "tls.key", folder / "tls.crt"
    subprocess.run([*_REQUEST, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context, certificate.read_bytes()
