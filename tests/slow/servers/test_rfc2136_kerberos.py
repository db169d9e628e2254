"""The provider rfc2136 with GSS-TSIG, in front of a real KDC and a real BIND."""

from __future__ import annotations

import json
import shutil
import sys
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import pytest

from extdns import cli
from extdns.app.provider import build_context, build_offline_reader, build_provider
from extdns.config import parse
from extdns.errors import UsageError
from extdns.model.change import Applied, Forbidden, Outcome, TryLater
from extdns.model.zone import Zone
from extdns.ports import ZoneWriter
from providers.common.api_calls import CallFailedError
from providers.rfc2136.provider import Rfc2136Writer, Rfc2136Zones
from providers.rfc2136.settings import KerberosLogin
from providers.rfc2136.spec import build_settings
from tests.conformance.provider import build_batch, create
from tests.kerberos import (
    PASSWORD,
    REALM,
    SERVER_NAME,
    UNREACHABLE_REALM,
    USER,
    KerberosServers,
    build_bind,
    start_clean_kerberos,
)
from tests.nameservers import HOST
from tests.objects import service
from tests.program.installation import Installation
from tests.slow.servers.test_rfc2136_program import query
from tests.updatable import start_clean

HALF_A_DAY_S: Final = 43_200.0
A_QUARTER_OF_AN_HOUR_S: Final = 900.0
OTHER_NAME: Final = HOST  # of the same address
UNKNOWN_NAME: Final = "::1"
OTHER_PASSWORD: Final = "incorrect horse battery staple"


@pytest.fixture
def servers() -> KerberosServers:
    return start_clean_kerberos()


def build_flags(port: int, *more: str, password: str = PASSWORD) -> list[str]:
    """Return the flags for the BIND at *port*; later flags replace earlier ones."""
    flags = {
        "provider": "rfc2136",
        "rfc2136-host": SERVER_NAME,
        "rfc2136-port": str(port),
        "rfc2136-zone": "example.org",
        "rfc2136-kerberos-realm": REALM.lower(),
        "rfc2136-kerberos-username": USER,
        "rfc2136-kerberos-password": password,
        **dict(flag.split("=", 1) for flag in more),
    }
    return ["--rfc2136-gss-tsig", *(f"--{name}={value}" for name, value in flags.items())]


def build_writer(port: int, *more: str, password: str = PASSWORD) -> tuple[Zone, ZoneWriter]:
    reader, writer = build_provider(parse(["--source=service", *build_flags(port, *more, password=password)], {}))
    assert writer is not None
    return reader.list_zones().zones[0], writer


def write(zone: Zone, writer: ZoneWriter, name: str = "x") -> Outcome:
    return writer.submit(zone, build_batch(zone, [create(f"{name}.example.org", "A", "192.0.2.1")]))


def reject_logins(monkeypatch: pytest.MonkeyPatch, code: int, wait: Callable[[], None] = lambda: None) -> list[None]:
    """Let logins fail with the Kerberos error *code* after *wait*. Return a list that gets an entry for each."""
    errors: Any = import_module("gssapi.raw.misc")
    logins: list[None] = []

    def reject(*_: object, **__: object) -> None:
        logins.append(None)
        wait()
        raise errors.GSSError(458752, 2**32 - 1765328384 + code)

    monkeypatch.setattr("gssapi.raw.acquire_cred_with_password", reject)
    return logins


def test_one_pass_signed_with_kerberos_creates_records_the_next_changes_nothing_and_no_output_shows_the_password(
    servers: KerberosServers, tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    secret = tmp_path / "secret"
    secret.write_text(f"{PASSWORD}\n")
    port = servers.bind.address.port
    flags = build_flags(port, f"rfc2136-kerberos-password-file={secret}", password="")
    flags.remove("--rfc2136-kerberos-password=")
    installation = Installation(tmp_path, dns_flags=[*flags, "--log-level=debug"])
    installation.replace_manifests(service("web", "web.example.org", address="192.0.2.1"))
    assert installation.run_once() == 0
    assert query(servers.bind, "web.example.org", "A") == ["192.0.2.1"]
    assert "external-dns/owner=me" in query(servers.bind, "a-web.example.org", "TXT")[0]
    before = query(servers.bind, "example.org", "SOA")
    assert installation.run_once() == 0
    assert query(servers.bind, "example.org", "SOA") == before
    shown = capfd.readouterr()
    settings = build_settings(build_context(parse(["--source=service", *flags], {})))
    assert PASSWORD not in shown.out + shown.err + caplog.text + repr(settings)


FAILURES: Final = {
    "password": (
        TryLater,
        f"password={OTHER_PASSWORD}",
        "KDC_ERR_PREAUTH_FAILED: the password of extdns@EXAMPLE.ORG is wrong",
    ),
    "user": (TryLater, "username=nobody", "realm EXAMPLE.ORG has no user nobody"),
    "locked": (TryLater, "username=locked", "the account locked@EXAMPLE.ORG is locked"),
    "expired": (TryLater, "username=expired", "the password of expired@EXAMPLE.ORG has expired"),
    "realm": (TryLater, "realm=OTHER", "no KDC of realm OTHER is known"),
    "unreachable": (TryLater, f"realm={UNREACHABLE_REALM}", "no KDC of realm DOWN.EXAMPLE can be reached"),
    "not-permitted": (Forbidden, "username=other", "Update on example.org: REFUSED"),
}


@pytest.mark.parametrize(
    ("outcome", "flag", "message"),
    [
        *(
            pytest.param(kind, f"rfc2136-kerberos-{flag}", text, id=name)
            for name, (kind, flag, text) in FAILURES.items()
        ),
        pytest.param(
            TryLater,
            f"rfc2136-host={UNKNOWN_NAME}",
            f"has no service DNS/{UNKNOWN_NAME}: let --rfc2136-host",
            id="service",
        ),
    ],
)
def test_the_error_of_a_failed_kerberos_login_or_update_says_what_is_wrong_and_nothing_changes(
    servers: KerberosServers, outcome: type[Forbidden | TryLater], flag: str, message: str
) -> None:
    for options in ("-allow_tix locked", '-pwexpire "1 day ago" expired', "other"):
        servers.kdc.edit(f'addprinc -pw "{PASSWORD}" {options}')
    zone, writer = build_writer(servers.bind.address.port, flag)
    found = write(zone, writer)
    assert isinstance(found, outcome)
    assert message in found.message
    assert query(servers.bind, "x.example.org", "A") == []


def test_a_rejected_password_is_not_sent_again_for_a_quarter_of_an_hour(servers: KerberosServers) -> None:
    servers.kdc.edit('addprinc -pw "right" +requires_preauth victim')
    now_s = 0.0
    settings = servers.build_settings(
        KerberosLogin(username="victim", realm=REALM, password=OTHER_PASSWORD), lambda: now_s
    )
    zone, writer = Zone(name=settings.zones[0], id="example.org"), Rfc2136Writer(Rfc2136Zones(settings))
    counts = []
    for now_s in (0.0, 1.0, A_QUARTER_OF_AN_HOUR_S - 1.0, A_QUARTER_OF_AN_HOUR_S):  # noqa: B007 - the clock reads it
        assert isinstance(write(zone, writer), TryLater)
        counts.append(servers.kdc.count_logins("victim"))
    assert counts == [counts[0]] * 3 + [2 * counts[0]]


def test_the_traceback_of_a_rejected_kerberos_login_does_not_grow_with_later_calls(servers: KerberosServers) -> None:
    authenticator = servers.build_settings(KerberosLogin(username="none", realm=REALM, password="x")).authenticator
    assert authenticator is not None
    sizes = set()
    for _ in range(10):
        with pytest.raises(CallFailedError, match="has no user none") as caught:
            authenticator.open_context(SERVER_NAME)
        sizes.add(len(list(traceback.walk_tb(caught.value.__traceback__))))
    assert len(sizes) <= 2  # that of the KDC's answer, and that of the calls after it


def test_kerberos_tickets_are_renewed_after_half_of_their_lifetime(servers: KerberosServers) -> None:
    servers.kdc.edit(f'addprinc -pw "{PASSWORD}" brief')
    now_s = 0.0
    login = KerberosLogin(username="brief", realm=REALM, password=PASSWORD)
    settings = servers.build_settings(login, lambda: now_s)
    assert settings.authenticator is not None
    counts = []
    for now_s in (0.0, HALF_A_DAY_S - 60.0, HALF_A_DAY_S):  # noqa: B007 - the clock reads it
        settings.authenticator.open_context(SERVER_NAME)
        counts.append(servers.kdc.count_logins("brief"))
    assert counts == [counts[0], counts[0], 2 * counts[0]]


@pytest.mark.parametrize("code", [156, 24], ids=["unreachable", "rejected"])
def test_kerberos_tickets_that_cannot_be_renewed_are_used_until_they_expire(
    servers: KerberosServers, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    now_s = 0.0
    authenticator = servers.build_settings(monotonic_s=lambda: now_s).authenticator
    assert authenticator is not None
    authenticator.open_context(SERVER_NAME)
    logins = reject_logins(monkeypatch, code)
    for now_s in (HALF_A_DAY_S, HALF_A_DAY_S + 1.0, 2 * HALF_A_DAY_S - 600.0):  # noqa: B007 - the clock reads it
        authenticator.open_context(SERVER_NAME)
    assert len(logins) == 2  # at the first and the last of these times
    now_s = 2 * HALF_A_DAY_S + A_QUARTER_OF_AN_HOUR_S
    with pytest.raises(CallFailedError):
        authenticator.open_context(SERVER_NAME)


def test_a_kerberos_login_without_an_answer_fails_for_all_calls_that_waited_for_it(
    servers: KerberosServers, monkeypatch: pytest.MonkeyPatch
) -> None:
    now_s = 0.0

    def wait() -> None:
        nonlocal now_s
        now_s += 27.0

    authenticator = servers.build_settings(monotonic_s=lambda: now_s).authenticator
    assert authenticator is not None
    logins = reject_logins(monkeypatch, 156, wait)
    for began_s, count in ((0.0, 1), (1.0, 1), (27.0, 2)):
        now_s = began_s
        with pytest.raises(CallFailedError, match="KRB5_KDC_UNREACH"):
            authenticator.open_context(SERVER_NAME)
        assert len(logins) == count


def test_the_error_of_a_login_says_that_the_clocks_of_client_and_kdc_differ(
    servers: KerberosServers, monkeypatch: pytest.MonkeyPatch
) -> None:
    reject_logins(monkeypatch, 37)
    outcome = write(*build_writer(servers.bind.address.port))
    assert isinstance(outcome, TryLater)
    assert "KRB_AP_ERR_SKEW: the clocks of this machine and of the KDC differ" in outcome.message


@pytest.mark.parametrize("token", [b"", b"?", b"\xff" * 60_000], ids=["empty", "short", "huge"])
def test_a_malformed_kerberos_token_is_an_error_and_nothing_is_signed(servers: KerberosServers, token: bytes) -> None:
    authenticator = servers.build_settings().authenticator
    assert authenticator is not None
    context, _ = authenticator.open_context(SERVER_NAME)
    with pytest.raises(CallFailedError, match="Token"):
        context.step(token)
    assert not context.complete
    with pytest.raises(CallFailedError, match="incomplete security context"):
        context.get_signature(b"message")


def test_threads_share_one_kerberos_login(servers: KerberosServers) -> None:
    servers.kdc.edit('addprinc -pw "shared" crowd')
    zone, writer = build_writer(
        servers.bind.address.port, "rfc2136-kerberos-username=crowd", "rfc2136-kerberos-password=shared"
    )
    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(lambda number: write(zone, writer, f"n{number}"), range(40)))
    assert {type(outcome) for outcome in outcomes} == {Forbidden}  # BIND knows who sends them, and rejects all
    assert servers.kdc.count_logins("crowd") == 1


def test_after_the_server_has_a_new_key_one_update_is_rejected_and_the_next_is_applied(
    servers: KerberosServers, tmp_path: Path
) -> None:
    keytab = tmp_path / "keytab"
    shutil.copy(servers.kdc.create_keytab("old.keytab", OTHER_NAME), keytab)
    with build_bind(tmp_path / "bind", keytab) as bind:
        zone, writer = build_writer(bind.address.port, f"rfc2136-host={OTHER_NAME}")
        assert isinstance(write(zone, writer), Applied)
        bind.kill()
        shutil.copy(servers.kdc.create_keytab("new.keytab", OTHER_NAME), keytab)
        bind.start()
        rejected = write(zone, writer, "y")
        assert isinstance(rejected, Forbidden)
        assert "TKEY BADKEY: the server rejects Kerberos" in rejected.message
        assert isinstance(write(zone, writer, "y"), Applied)


def test_the_error_of_an_update_says_that_the_server_rejects_kerberos(servers: KerberosServers) -> None:
    outcome = write(*build_writer(start_clean("named").address.port))
    assert servers
    assert isinstance(outcome, Forbidden)
    assert "the server rejects Kerberos: see its log" in outcome.message


def test_check_reports_whether_the_server_takes_updates_signed_with_kerberos(
    servers: KerberosServers, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "web.json").write_text(json.dumps(service("web", "web.example.org")))
    argv = ["--source=service", "--txt-owner-id=me", f"--manifests={tmp_path}"]
    port = servers.bind.address.port
    assert cli.main(["check", *argv, *build_flags(port)], {}) == 0
    assert "ok       permission to change zone example.org: the server takes updates" in capsys.readouterr().out
    assert cli.main(["check", *argv, *build_flags(port, password=OTHER_PASSWORD)], {}) == 1
    assert "missing  permission to change zone example.org: Update on example.org" in capsys.readouterr().out


def test_without_gssapi_the_error_shows_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gssapi", None)
    monkeypatch.delitem(sys.modules, "providers.rfc2136.kerberos", raising=False)
    config = parse(["--source=service", *build_flags(53)], {})
    with pytest.raises(UsageError, match=r"needs gssapi .*: pip install 'gssapi<2'"):
        build_provider(config)
    assert build_offline_reader(config).capabilities.measure
