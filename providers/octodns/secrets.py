"""Replace the values of an octoDNS configuration that stand for secrets, and mask them (docs/design/octodns.md)."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any, Final

from octodns.secret.environ import EnvironSecrets

from extdns import masking
from extdns.errors import UsageError, sanitize

_ENVIRONMENT: Final = "env"
_SECRET_KEY: Final = re.compile(
    r"(?:token|secret|pass|password|passwd|passphrase|credential|key|auth)s?$", re.IGNORECASE
)


class SecretValues:
    """The secret handlers of a configuration by name: values such as `env/TOKEN` are read by the handler `env`."""

    def __init__(self, *, offline: bool = False) -> None:
        """Start with the built-in handler. If *offline*, a missing environment variable is an empty text."""
        self._offline = offline
        self.handlers: dict[str, Any] = {_ENVIRONMENT: EnvironSecrets(_ENVIRONMENT)}

    def resolve(self, arguments: Mapping[str, Any], origin: str) -> dict[str, Any]:
        """Return *arguments* with the values of secret handlers, and mask all secrets from now on.

        Nested mappings are resolved, too. *origin* says in messages what *arguments* belong to.
        """
        return {str(key): self._resolve(value, str(key), arguments, origin) for key, value in arguments.items()}

    def _resolve(self, value: object, key: str, arguments: Mapping[str, Any], origin: str) -> object:
        if isinstance(value, Mapping):
            return self.resolve(value, f"{origin}, {sanitize(key)}")
        if not isinstance(value, str):
            if isinstance(value, list):
                _mask_list(value, key)
            return value
        handler, slash, name = value.partition("/")
        if slash and handler in self.handlers:
            found = self._fetch(handler, name, arguments, f"{origin}: {sanitize(key)}={sanitize(handler)}/…")
            masking.add_secrets((str(found),))
            return found
        if _SECRET_KEY.search(key):
            masking.add_secrets((value,))
        return value

    def _fetch(self, handler: str, name: str, arguments: Mapping[str, Any], origin: str) -> object:
        if handler == _ENVIRONMENT:
            variable, default, _ = name.partition("/")
            if variable in os.environ:
                masking.add_secrets((os.environ[variable],))  # octoDNS may convert it to a number
            elif not default:
                if self._offline:
                    return ""
                raise UsageError(f"{origin}: environment variable {sanitize(variable)} is not set")
        try:
            return self.handlers[handler].fetch(name, arguments)
        except Exception as exc:  # a handler can raise anything
            raise UsageError(f"{origin} cannot be read: {type(exc).__name__}: {sanitize(str(exc))}") from exc


def _mask_list(values: list[object], key: str) -> None:
    """Mask the secrets in the list *values* of *key*, which octoDNS passes on as it is."""
    for value in values:
        if isinstance(value, list):
            _mask_list(value, key)
        elif isinstance(value, Mapping):
            for name, inner in value.items():
                _mask_list([inner], str(name))
        elif _SECRET_KEY.search(key):
            masking.add_secrets((str(value),))
