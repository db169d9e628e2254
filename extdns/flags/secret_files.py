"""Read secrets from files, so that they are neither in arguments nor in environment variables."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Final

from extdns import masking
from extdns.errors import UsageError, describe_cause, escape_unprintable
from extdns.flags.usage_errors import usage_error

_MAX_BYTES: Final = 65_536


def read_secret(
    flag: str, value: str, path: str, find_secrets: Callable[[str], Iterable[str]] = lambda content: (content,)
) -> str:
    """Return the secret of *flag*: the content of the file at *path* without the newline at its end, or else *value*.

    What *find_secrets* finds in the content, by default all of it, is masked from now on wherever it is shown.
    """
    if not path:
        return value
    content = _read_content(flag, path)
    masking.add_secrets(find_secrets(content))
    return content


read_url = partial(read_secret, find_secrets=masking.find_in_url)
"""The same for a URL, of which the user and the password are secret."""


def _read_content(flag: str, path: str) -> str:
    origin = f"--{flag}-file={escape_unprintable(path)}"
    try:
        with Path(path).open("rb") as file:
            content = file.read(_MAX_BYTES + 1)
    except (OSError, ValueError) as exc:  # ValueError: the path has a null byte
        raise UsageError(f"{origin} cannot be read: {describe_cause(exc)}") from exc
    if len(content) > _MAX_BYTES:
        raise usage_error(f"{origin} is larger than {_MAX_BYTES} bytes", "allowed: a file with only the secret")
    try:
        secret = content.decode().rstrip("\r\n")
    except UnicodeDecodeError as exc:
        raise usage_error(f"{origin} is not text", "allowed: UTF-8, as the value of the flag") from exc
    if not secret:
        raise usage_error(f"{origin} is empty", "allowed: a file with only the secret")
    return secret
