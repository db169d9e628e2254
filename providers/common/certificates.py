"""Trusted certificates, found as a Go program finds them (crypto/x509)."""

from __future__ import annotations

import atexit
import tempfile
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final

_BUNDLES: Final = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/pki/tls/cacert.pem",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/ssl/cert.pem",
)


def find_ca_bundle(environ: Mapping[str, str], *, sdk_variable: str) -> str:
    """Return the path of a file with all trusted certificates, as a Go program would find it; "" for the SDK's default.

    `SSL_CERT_FILE` and `SSL_CERT_DIR` in *environ* decide, unless the SDK's own variable *sdk_variable* is set.

    Raises:
        OSError: `SSL_CERT_DIR` is set, and a certificate cannot be read or the joined file cannot be written.
    """
    if environ.get(sdk_variable):
        return ""
    file = environ.get("SSL_CERT_FILE") or next((name for name in _BUNDLES if Path(name).is_file()), "")
    folders = environ.get("SSL_CERT_DIR", "")
    return _join_bundles(file, folders) if folders else file


@lru_cache(maxsize=4)
def _join_bundles(file: str, folders: str) -> str:
    paths = [Path(file)] if file else []
    paths += (path for folder in folders.split(":") if folder for path in _list_certificates(Path(folder)))
    text = b"".join(path.read_bytes() + b"\n" for path in paths)
    with tempfile.NamedTemporaryFile("wb", prefix="extdns-ca-", suffix=".pem", delete=False) as bundle:
        atexit.register(Path(bundle.name).unlink, missing_ok=True)  # SDKs read the file for each connection
        bundle.write(text)
    return bundle.name


def _list_certificates(folder: Path) -> Iterator[Path]:
    if folder.is_dir():
        yield from sorted(
            path for path in folder.iterdir() if path.is_file() and b"-----BEGIN CERTIFICATE-----" in path.read_bytes()
        )
