"""A real Kerberos KDC for tests, on loopback, and a BIND that accepts its users."""

from __future__ import annotations

import atexit
import os
import socket
import subprocess
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from time import monotonic, sleep
from typing import Any, Final, NamedTuple

from extdns.model.dns_name import DnsName
from providers.rfc2136.settings import DnsServer, KerberosLogin, Rfc2136Settings
from tests.nameservers import HOST, free_port
from tests.required_programs import end_without, require_programs
from tests.updatable import UpdatableServer

REALM: Final = "EXAMPLE.ORG"
UNREACHABLE_REALM: Final = "DOWN.EXAMPLE"
USER: Final = "extdns"
PASSWORD: Final = "correct horse battery staple"
LOGIN: Final = KerberosLogin(username=USER, realm=REALM, password=PASSWORD)
SERVER_NAME: Final = "localhost"
UPDATES: Final = (
    f"update-policy {{ grant extdns zonesub ANY; grant {USER}@{REALM} zonesub ANY; }}; allow-transfer {{ any; }}"
)
_PROGRAMS: Final = ("krb5kdc", "kdb5_util", "kadmin.local", "named")
_READY_S: Final = 60.0
_POLL_S: Final = 0.02

_KRB5_CONF: Final = """\
[libdefaults]
  default_realm = {realm}
  dns_lookup_kdc = false
  dns_lookup_realm = false
  dns_canonicalize_hostname = false
[realms]
  {realm} = {{
    kdc = {host}:{port}
  }}
  {unreachable} = {{
    kdc = {host}:{closed}
  }}
"""
_KDC_CONF: Final = """\
[kdcdefaults]
  kdc_listen = {host}:{port}
  kdc_tcp_listen = {host}:{port}
[realms]
  {realm} = {{
    database_name = {folder}/principal
    key_stash_file = {folder}/stash
    acl_file = {folder}/acl
  }}
[logging]
  kdc = FILE:{folder}/kdc.log
"""


def require_kerberos() -> None:
    """Require the programs and the Python package `gssapi`; see `end_without`."""
    require_programs("GSS-TSIG with a KDC and BIND", *_PROGRAMS)
    if not find_spec("gssapi"):
        end_without("GSS-TSIG with a KDC and BIND", "the Python package gssapi is not installed: make gssapi")


class Kdc:
    """A KDC process with its own database of users and services."""

    def __init__(self, folder: Path) -> None:
        """Create the database with the user `USER`, and let this process and its children use the KDC."""
        folder.mkdir()
        self._folder = folder
        self._port = free_port()
        fields = {"realm": REALM, "host": HOST, "port": self._port, "folder": folder}
        config = _KRB5_CONF.format(**fields, unreachable=UNREACHABLE_REALM, closed=free_port())
        (folder / "krb5.conf").write_text(config)
        (folder / "kdc.conf").write_text(_KDC_CONF.format(**fields))
        os.environ["KRB5_CONFIG"] = str(folder / "krb5.conf")
        os.environ["KRB5RCACHENAME"] = "none:"  # BIND needs no file against replays in a folder of the system
        self._environ = os.environ | {"KRB5_KDC_PROFILE": str(folder / "kdc.conf")}
        self._run("kdb5_util", "create", "-s", "-P", "master", "-r", REALM)
        self.edit(f'addprinc -pw "{PASSWORD}" +requires_preauth {USER}')
        self._running: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the process, and return once it accepts connections."""
        self._running = subprocess.Popen(
            ["krb5kdc", "-n", "-r", REALM],
            env=self._environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        until_s = monotonic() + _READY_S
        while not self._accepts():
            assert self._running.poll() is None, "krb5kdc ended"
            assert monotonic() < until_s, "krb5kdc is not ready"
            sleep(_POLL_S)

    def kill(self) -> None:
        """Kill the process."""
        if self._running is not None:
            self._running.kill()
            self._running.wait()
            self._running = None

    def edit(self, *commands: str) -> None:
        """Run *commands* of kadmin."""
        for command in commands:
            self._run("kadmin.local", "-r", REALM, "-q", command)

    def create_keytab(self, name: str, host: str = SERVER_NAME) -> Path:
        """Give the DNS service of *host* a new key, and return the file *name* with this key alone."""
        path = self._folder / name
        service = f"DNS/{host}"
        self.edit(f"addprinc -randkey {service}", f"ktadd -k {path} {service}")
        return path

    def count_logins(self, user: str) -> int:
        """Return how often the KDC was asked for tickets of *user* with a password or with a wrong one."""
        lines = (self._folder / "kdc.log").read_text().splitlines()
        mine = [line for line in lines if "AS_REQ" in line and f" {user}@{REALM} for krbtgt" in line]
        return sum("NEEDED_PREAUTH" not in line for line in mine)

    def _accepts(self) -> bool:
        with suppress(OSError), socket.create_connection((HOST, self._port), timeout=1.0):
            return True
        return False

    def _run(self, *command: str) -> None:
        done = subprocess.run(command, env=self._environ, capture_output=True, text=True, timeout=_READY_S, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


class KerberosServers(NamedTuple):
    """A KDC, and a BIND that lets `USER` update its zones."""

    kdc: Kdc
    bind: UpdatableServer

    def build_settings(
        self, login: KerberosLogin = LOGIN, monotonic_s: Callable[[], float] = monotonic
    ) -> Rfc2136Settings:
        """Return settings of the provider for the BIND, with a clock for the tickets."""
        kerberos: Any = import_module("providers.rfc2136.kerberos")  # needs gssapi
        client = kerberos.KerberosClient(login, monotonic_s=monotonic_s)
        address = DnsServer(host=SERVER_NAME, port=self.bind.address.port)
        return Rfc2136Settings(servers=(address,), zones=(DnsName("example.org"),), authenticator=client)


def start_clean_kerberos() -> KerberosServers:
    """Return servers without records, which tests share; the test is skipped if a program is not installed."""
    require_kerberos()
    found = _start_once()
    found.bind.reset()
    return found


@cache
def _start_once() -> KerberosServers:
    """Return servers that all tests of this process share; they end with the process."""
    temporary = tempfile.TemporaryDirectory(prefix="extdns-krb5-")
    folder = Path(temporary.name)
    atexit.register(temporary.cleanup)
    kdc = Kdc(folder / "kdc")
    kdc.start()
    atexit.register(kdc.kill)
    bind = build_bind(folder / "bind", kdc.create_keytab("dns.keytab"))
    bind.start()
    atexit.register(bind.kill)
    return KerberosServers(kdc, bind)


def build_bind(folder: Path, keytab: Path) -> UpdatableServer:
    """Return a BIND that is not started, with the key of *keytab*."""
    return UpdatableServer("named", folder, updates=UPDATES, options=f'tkey-gssapi-keytab "{keytab}"; ')
