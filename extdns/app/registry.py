"""Build the registry of `--registry`, and its parts for commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from extdns.app.secret_files import read_secret

if TYPE_CHECKING:
    from extdns.config import Config
    from extdns.flags.records import RegistryFlags as Flags
    from extdns.ports import Registry
    from registry.txt.naming import Naming
    from registry.txt.ownership_index import OwnershipTextCodec


def build_registry(config: Config) -> Registry:
    """Build the registry of `--registry`."""
    chosen = config.registry
    match chosen.name:
        case "noop":
            from registry.noop import NoopRegistry

            return NoopRegistry()
        case _:
            from registry.txt.registry import TxtRegistry

            return TxtRegistry(
                owner=chosen.txt_owner_id,
                naming=build_naming(chosen),
                managed_types=config.plan.find_managed_types(),
                migrate_from=chosen.migrate_from_txt_owner,
                creates_without_ownership=config.control.compat,
                codec=build_codec(config),
            )


def build_naming(chosen: Flags) -> Naming:
    """Return how ownership records are named, according to the flags `--txt-prefix`, `--txt-suffix` and so on."""
    from registry.txt.naming import Naming

    return Naming(
        prefix=chosen.txt_prefix, suffix=chosen.txt_suffix, wildcard_replacement=chosen.txt_wildcard_replacement
    )


def build_codec(config: Config) -> OwnershipTextCodec:
    """Build the codec of ownership records. With a key, encrypted ones can be read even if new ones are plain text."""
    chosen = config.registry
    key = read_secret("txt-encrypt-aes-key", chosen.txt_encrypt_aes_key, chosen.txt_encrypt_aes_key_file)
    if not key and not chosen.txt_encrypt_enabled:
        from registry.txt.ownership_index import PlainTextCodec

        return PlainTextCodec()
    import secrets

    from registry.txt.encryption import NONCE_BYTES, EncryptedTextCodec, parse_key

    return EncryptedTextCodec(
        key=parse_key(key),
        nonce=lambda: secrets.token_bytes(NONCE_BYTES),
        encrypts=chosen.txt_encrypt_enabled,
    )
