"""Count the calls of external-dns and extdns to the same strict fakes of Cloudflare, Azure DNS and Cloud Map.

Each program has a service of its own with a zone of 2,000 records, half of them ownership records, which external-dns
published, and makes the same single passes. Only loopback can be reached: everything else goes to a proxy that does not
exist. Usage: pairs cloudflare|azure|aws-sd.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from tests import cloudmap
from tests.azure import write_config
from tests.bench.process import print_figures
from tests.fakes.apiserver.server import ApiServer
from tests.fakes.azure.server import Azure
from tests.fakes.azure.values import list_values
from tests.fakes.cloudflare.server import TOKEN, Cloudflare
from tests.fakes.cloudmap import records
from tests.fakes.cloudmap.server import CloudMap
from tests.objects import service
from tests.program.process import HANGS_S, environment, once
from tests.required_programs import require_program

ZONE: Final = "example.org"
SIZE: Final = 2_000
REFUSED: Final = tuple(f"bad{number}" for number in range(5))
SITUATIONS: Final[Mapping[str, Mapping[str, str]]] = {
    "a quiet pass": {},
    "one change": {"n7": "192.0.2.99"},
    "50 names": {f"new{number}": "192.0.2.50" for number in range(50)},
    "400 names, 5 of them refused": {f"more{number}": "192.0.2.40" for number in range(395)}
    | dict.fromkeys(REFUSED, "192.0.2.5"),
}
"""What is requested anew in each situation: addresses by the first label of the name."""

FLAGS: Final = (
    *("--source=service", "--policy=sync", "--txt-owner-id=me", f"--domain-filter={ZONE}", "--once"),
    "--metrics-address=127.0.0.1:0",
)
_NOWHERE: Final = "http://127.0.0.1:9"
OFFLINE: Final = {"HTTPS_PROXY": _NOWHERE, "HTTP_PROXY": _NOWHERE, "NO_PROXY": "127.0.0.1", "https_proxy": _NOWHERE}
"""Go never uses a proxy for loopback; the port of this one is closed."""


class Account:
    """A service with the zone."""

    fake: Any
    flags: tuple[str, ...]
    environ: Mapping[str, str]

    def take_calls(self) -> list[str]:
        found = [call.action for call in self.fake.calls]
        self.fake.calls.clear()
        return found

    def read(self) -> dict[tuple[str, str], object]:
        """Return the records, by name and type."""
        raise NotImplementedError

    def copy(self, other: Any) -> None:  # noqa: ANN401 - an account of the same kind
        raise NotImplementedError


class CloudflareAccount(Account):
    """The fake of Cloudflare."""

    def __init__(self, stack: ExitStack, _: Path) -> None:
        self.fake = stack.enter_context(Cloudflare())
        self.zone = self.fake.add_zone(ZONE)
        self.fake.set_quota(self.zone, 10 * SIZE)
        for name in REFUSED:
            self.fake.protect(self.zone, f"{name}.{ZONE}", "A")
        self.flags = ("--provider=cloudflare", "--batch-change-interval=0s")
        self.environ = {"CLOUDFLARE_BASE_URL": self.fake.url, "CF_API_TOKEN": TOKEN}

    def read(self) -> dict[tuple[str, str], object]:
        return {
            (one["name"], one["type"]): tuple(one[key] for key in ("content", "ttl", "proxied", "comment"))
            for one in self.fake.list_records(self.zone)
        }

    def copy(self, other: Any) -> None:  # noqa: ANN401
        for one in other.fake.list_records(other.zone):
            self.fake.put(self.zone, one["name"], one["type"], one["content"], ttl=one["ttl"])


class AzureAccount(Account):
    """The fake of Azure, with TLS, which external-dns requires, and one without for the tokens."""

    def __init__(self, stack: ExitStack, folder: Path) -> None:
        self.fake, tokens = stack.enter_context(Azure(tls=True)), stack.enter_context(Azure())
        self.zone = self.fake.add_zone(ZONE)
        self.zone.protected |= {(name, "A") for name in REFUSED}
        home = stack.enter_context(TemporaryDirectory(dir=folder))
        bundle = Path(home) / "ca.pem"
        bundle.write_bytes(self.fake.ca)
        cloud = {"cloud": "AzureStackCloud", "activeDirectoryAuthorityHost": self.fake.url}
        file = write_config(Path(home), self.fake, resourceManagerAudience=self.fake.url, **cloud)
        self.flags = ("--provider=azure", f"--azure-config-file={file}")
        self.environ = {
            "SSL_CERT_FILE": str(bundle),
            "AZURE_POD_IDENTITY_AUTHORITY_HOST": tokens.url,
            "IDENTITY_ENDPOINT": f"{tokens.url}/metadata/identity/oauth2/token",
            "IDENTITY_HEADER": "any",
        }

    def read(self) -> dict[tuple[str, str], object]:
        return {
            (f"{name}.{ZONE}", rtype): (list_values(found), found["properties"]["TTL"])
            for (name, rtype), found in self.zone.sets.items()
            if name != "@"
        }

    def copy(self, other: Any) -> None:  # noqa: ANN401
        self.zone.sets.update(deepcopy(other.zone.sets))


class CloudMapAccount(Account):
    """The fake of Cloud Map. It is the proxy to its own address, because external-dns puts `data-` before the host."""

    def __init__(self, stack: ExitStack, _: Path) -> None:
        self.fake = stack.enter_context(CloudMap(delay=0, page=100))
        self.zone = self.fake.add_namespace(ZONE)
        self.fake.protected |= {f"{name}.{ZONE}" for name in REFUSED}
        self.flags = ("--provider=aws-sd", "--registry=aws-sd")
        endpoint = {"AWS_ENDPOINT_URL_SERVICEDISCOVERY": "http://cloudmap.test", "HTTP_PROXY": self.fake.url}
        self.environ = {**cloudmap.environ(self.fake), **endpoint, "http_proxy": self.fake.url}

    def read(self) -> dict[tuple[str, str], object]:
        self.fake.end_operations()
        found = records.list_records(self.fake, self.zone)
        return {(f"{name}.{ZONE}", rtype): (one.values, one.ttl_s) for (name, rtype), one in found.items()}

    def copy(self, other: Any) -> None:  # noqa: ANN401
        for one in other.fake.services.values():
            made = self.fake.add_service(
                self.zone, one["Name"], deepcopy(one["DnsConfig"]), Description=one["Description"]
            )
            self.fake.instances[made["Id"]] = dict(other.fake.instances[one["Id"]])


ACCOUNTS: Final[Mapping[str, Callable[[ExitStack, Path], Account]]] = {
    "cloudflare": CloudflareAccount,
    "azure": AzureAccount,
    "aws-sd": CloudMapAccount,
}


@dataclass(frozen=True, kw_only=True)
class Pair:
    """The calls of both programs in each situation, and the records at which the zones differ in the end."""

    theirs: Mapping[str, Counter[str]]
    ours: Mapping[str, Counter[str]]
    differing: frozenset[tuple[str, str]]


def run_external_dns(account: Account, flags: Sequence[str]) -> str:
    """Make one pass of external-dns, and return its log. Its exit code says nothing about names that were refused."""
    program = require_program("external-dns beside extdns", "external-dns-0.22")
    environ = {**os.environ, **OFFLINE, **account.environ}
    command = [program, *FLAGS, *account.flags, *flags]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False, timeout=HANGS_S)
    return done.stderr


def run_extdns(account: Account, flags: Sequence[str]) -> None:
    """Make one pass of extdns, whose exit code is 1 if names were refused."""
    environ = environment(**{**OFFLINE, **account.environ})
    done = once(
        *FLAGS, *account.flags, *flags, "--api-calls-per-second=10000", env=environ, module="tests.bench.unpaced"
    )
    assert done.returncode in {0, 1}, done.stderr[-4000:]


def measure(provider: str) -> Pair:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        server = stack.enter_context(ApiServer())
        flags = [f"--kubeconfig={server.kubeconfig(folder / 'kubeconfig')}"]
        theirs, ours = (ACCOUNTS[provider](stack, folder) for _ in range(2))
        put(server, {f"n{number}": "192.0.2.1" for number in range(SIZE // 2)})
        log = run_external_dns(theirs, flags)
        assert len(theirs.read()) == SIZE, log[-4000:]
        ours.copy(theirs)
        theirs.take_calls()
        calls: dict[str, tuple[Counter[str], Counter[str]]] = {}
        for situation, requested in SITUATIONS.items():
            put(server, requested)
            run_external_dns(theirs, flags)
            run_extdns(ours, flags)
            calls[situation] = Counter(theirs.take_calls()), Counter(ours.take_calls())
        first, second = theirs.read(), ours.read()
        differing = {key for key in first.keys() | second.keys() if first.get(key) != second.get(key)}
    return Pair(
        theirs={key: one for key, (one, _) in calls.items()},
        ours={key: one for key, (_, one) in calls.items()},
        differing=frozenset(differing),
    )


def put(server: ApiServer, requested: Mapping[str, str]) -> None:
    """Let Services request names in the zone, with the annotation that both programs read."""
    server.put_all(service(label, f"{label}.{ZONE}", address=address) for label, address in requested.items())


def main(provider: str) -> None:
    """Print the calls in each situation, of external-dns and then of extdns."""
    pair = measure(provider)
    figures = {f"theirs_{key}": one.total() for key, one in pair.theirs.items()}
    print_figures(**figures, **{f"ours_{key}": one.total() for key, one in pair.ours.items()})


if __name__ == "__main__":
    main(*sys.argv[1:])
