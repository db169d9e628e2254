"""A secret comes from a flag or from a file, which is checked before it is used."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from extdns import masking
from extdns.app.provider import build_context, build_provider
from extdns.app.registry import build_registry, build_registry_context
from extdns.config import Config, parse
from extdns.errors import UsageError
from extdns.flags.secret_files import read_secret, read_url
from extdns.model.value import StringMap
from providers.webhook.spec import build_settings
from registry.txt.encryption import EncryptedTextCodec
from registry.txt.spec import build_codec

START = ["--source=service", "--provider=inmemory"]
FLAG = "rfc2136-tsig-secret"
SECRET = "c2VjcmV0LWZvci10ZXN0cw=="


@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_the_secret_is_the_content_of_its_file_without_the_last_newline_and_is_masked(tmp_path: Path, end: str) -> None:
    path = tmp_path / "secret"
    path.write_bytes(f"{SECRET}{end}".encode())
    assert read_secret(FLAG, "", str(path)) == SECRET
    assert SECRET not in masking.mask(f"the secret {SECRET}")


def test_the_secret_is_the_value_of_the_flag_if_there_is_no_file() -> None:
    assert read_secret(FLAG, SECRET, "") == SECRET


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(None, "cannot be read: No such file or directory", id="missing"),
        pytest.param(b"", "is empty", id="empty"),
        pytest.param(b"\r\n\n", "is empty", id="only-newlines"),
        pytest.param(b"x" * 65_537, "is larger than 65536 bytes", id="too-large"),
        pytest.param(b"\xff\xfe", "is not text", id="binary"),
    ],
)
def test_an_unusable_secret_file_gives_one_message_with_the_flag_and_the_path(
    tmp_path: Path, content: bytes | None, message: str
) -> None:
    path = tmp_path / "secret"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UsageError) as error:
        read_secret(FLAG, "", str(path))
    assert str(error.value).startswith(f"--rfc2136-tsig-secret-file={path} {message}")


@pytest.mark.parametrize("path", [pytest.param("/", id="folder"), pytest.param("a\0b", id="null-byte")])
def test_a_secret_path_that_is_not_a_file_is_a_usage_error(path: str) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        read_secret(FLAG, "", path)


def test_reading_a_secret_stops_at_the_size_limit_even_if_the_file_has_no_end() -> None:
    with pytest.raises(UsageError, match="is larger than 65536 bytes"):
        read_secret(FLAG, "", "/dev/zero")


@pytest.mark.parametrize(
    ("flags", "build"),
    [
        pytest.param(["--provider=inmemory", "--txt-encrypt-aes-key"], build_registry, id="registry"),
        pytest.param(["--provider=aws", "--aws-assume-role-external-id"], build_provider, id="route53"),
        pytest.param(
            [
                *("--provider=rfc2136", "--rfc2136-host=127.0.0.1", "--rfc2136-zone=example.org"),
                *("--rfc2136-tsig-keyname=k", "--rfc2136-tsig-secret-alg=hmac-sha256", "--rfc2136-tsig-secret"),
            ],
            build_provider,
            id="rfc2136",
        ),
    ],
)
def test_each_secret_flag_has_a_file_flag_from_which_the_secret_is_read(
    tmp_path: Path, flags: list[str], build: Callable[[Config], object]
) -> None:
    path = tmp_path / "secret"
    argv = ["--source=service", *flags[:-1], f"{flags[-1]}-file={path}"]
    with pytest.raises(UsageError, match=f"{flags[-1]}-file={path} cannot be read"):
        build(parse(argv, {}))
    path.write_text("MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=\n")  # 32 bytes
    build(parse(argv, {}))


@pytest.mark.parametrize("is_file", [True, False], ids=["file", "variable-of-the-chart"])
def test_several_keys_of_ownership_records_are_the_lines_of_a_file_or_variable(
    tmp_path: Path, *, is_file: bool
) -> None:
    keys = ("a" * 32, "b" * 32)
    path, lines = tmp_path / "keys", "".join(f"{key}\n" for key in keys)
    path.write_text(lines)
    flags, environ = [*START, "--txt-encrypt-enabled"], {"EXTERNAL_DNS_TXT_ENCRYPT_AES_KEY": lines}
    config = parse([*flags, f"--txt-encrypt-aes-key-file={path}"], {}) if is_file else parse(flags, environ)
    registry, codec = build_registry(config), build_codec(build_registry_context(config))
    first, second = (EncryptedTextCodec(keys=(key.encode(),), nonce=lambda: b"n" * 12, encrypts=True) for key in keys)
    texts = [one.encode(StringMap.from_items({"owner": "me"})) or "" for one in (first, second)]
    assert all(map(registry.is_ownership_text, texts))
    assert [codec.is_current(text) for text in texts] == [True, False]


def test_of_a_url_from_a_file_the_password_is_masked_and_the_address_is_shown(tmp_path: Path) -> None:
    path = tmp_path / "url"
    path.write_text("http://extdns:correct-horse@127.0.0.1:8888/hook\n")
    url = read_url("webhook-provider-url", "", str(path))
    assert url == "http://extdns:correct-horse@127.0.0.1:8888/hook"
    assert masking.mask("correct-horse at http://127.0.0.1:8888/hook") == "****** at http://127.0.0.1:8888/hook"


def test_the_address_of_a_webhook_is_read_from_its_file_and_checked_without_showing_it(tmp_path: Path) -> None:
    path = tmp_path / "url"
    argv = ["--source=service", "--provider=webhook", f"--webhook-provider-url-file={path}"]
    with pytest.raises(UsageError, match=f"--webhook-provider-url-file={path} cannot be read"):
        build_provider(parse(argv, {}))
    path.write_text("ftp://extdns:correct-horse@127.0.0.1")
    with pytest.raises(UsageError, match=r"^the content of --webhook-provider-url-file is not the address") as error:
        build_provider(parse(argv, {}))
    assert "correct-horse" not in str(error.value)
    path.write_text("http://extdns:correct-horse@127.0.0.1:8888")
    assert build_settings(build_context(parse(argv, {}))).url == "http://extdns:correct-horse@127.0.0.1:8888"
