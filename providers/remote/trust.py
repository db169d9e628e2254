"""Which authorities vouch for the service: those that a Go program would trust, from the same variables.

SDKs bring lists of their own, which know nothing of a company's proxy; Go's crypto/x509 reads the
system's (`SSL_CERT_FILE` or the first file that is there, and every file in `SSL_CERT_DIR`).
"""

from __future__ import annotations

import atexit
import tempfile
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final

_FILES: Final = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/pki/tls/cacert.pem",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/ssl/cert.pem",
)


def bundle(environ: Mapping[str, str], *, before: str) -> str:
    """The path of a file with all certificates to trust, "" to leave the choice to the SDK.

    Args:
        environ: the environment.
        before: the SDK's own variable, which comes first if it is set.

    Raises:
        OSError: several files have to be put together and there is no place for the result.
    """
    if environ.get(before):
        return ""
    file = environ.get("SSL_CERT_FILE") or next((name for name in _FILES if Path(name).is_file()), "")
    folders = environ.get("SSL_CERT_DIR", "")
    return _joined(file, folders) if folders else file


@lru_cache(maxsize=4)
def _joined(file: str, folders: str) -> str:
    paths = [Path(file)] if file else []
    paths += (path for folder in folders.split(":") if folder for path in _inside(Path(folder)))
    text = b"".join(path.read_bytes() + b"\n" for path in paths)
    with tempfile.NamedTemporaryFile("wb", prefix="extdns-ca-", suffix=".pem", delete=False) as made:
        atexit.register(Path(made.name).unlink, missing_ok=True)  # not before: SDKs read it anew for each connection
        made.write(text)
    return made.name


def _inside(folder: Path) -> Iterator[Path]:
    if folder.is_dir():
        yield from sorted(
            path for path in folder.iterdir() if path.is_file() and b"-----BEGIN CERTIFICATE-----" in path.read_bytes()
        )
