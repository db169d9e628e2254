"""The registry of `--registry`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from extdns.app.filters import managed_types

if TYPE_CHECKING:
    from extdns.config import Config
    from extdns.config import Registry as Flags
    from extdns.ports import Registry
    from registry.txt.heritage import MarkText
    from registry.txt.naming import Naming


def registry(config: Config) -> Registry:
    """The registry of `--registry`."""
    chosen = config.registry
    match chosen.name:
        case "noop":
            from registry.noop import NoopRegistry

            return NoopRegistry()
        case _:
            from registry.txt.registry import TxtRegistry

            return TxtRegistry(
                owner=chosen.txt_owner_id,
                naming=naming(chosen),
                managed_types=managed_types(config.plan),
                migrate_from=chosen.migrate_from_txt_owner,
                unmarked_creates=config.control.compat,
                codec=_codec(config),
            )


def naming(chosen: Flags) -> Naming:
    """How ownership records are called."""
    from registry.txt.naming import Naming

    return Naming(
        prefix=chosen.txt_prefix, suffix=chosen.txt_suffix, wildcard_replacement=chosen.txt_wildcard_replacement
    )


def _codec(config: Config) -> MarkText:
    """How marks are written: in plain text; with a key, encrypted ones are at least read."""
    chosen = config.registry
    if not chosen.txt_encrypt_aes_key and not chosen.txt_encrypt_enabled:
        from registry.txt.heritage import PlainText

        return PlainText()
    import secrets

    from registry.txt.encryption import NONCE_BYTES, EncryptedText, key_of

    return EncryptedText(
        key=key_of(chosen.txt_encrypt_aes_key),
        nonce=lambda: secrets.token_bytes(NONCE_BYTES),
        writes=chosen.txt_encrypt_enabled,
    )
