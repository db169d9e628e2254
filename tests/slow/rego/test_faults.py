"""The whole program while the policy server answers something else than an Open Policy Agent does."""

from __future__ import annotations

from http import HTTPStatus
from pathlib import Path
from typing import Final

import pytest

from tests.fakes.apiserver.server import ApiServer
from tests.objects import namespace, service
from tests.program.installation import Installation
from tests.slow.rego.opa_process import OpaProcess
from tests.slow.rego.opa_proxy import start_proxy

POLICY: Final = (
    'package extdns\n\ndeny contains {"rule": "bad", "msg": "a bad name"} if startswith(input.record.name, "bad")\n'
)
WEB: Final = "web.example.org A 192.0.2.1"
NEW: Final = "new.example.org A 192.0.2.1"
FAULTS: Final = [
    pytest.param(HTTPStatus.OK, b"<!doctype html><title>Sign in</title>", id="html"),
    pytest.param(HTTPStatus.INTERNAL_SERVER_ERROR, b"out of order", id="500"),
    pytest.param(HTTPStatus.OK, b'{"result": []' + b" " * 10_000_000 + b"}", id="10-megabytes"),
]


@pytest.mark.parametrize(("status", "body"), FAULTS)
def test_new_names_wait_and_no_record_is_deleted_until_the_policy_server_answers_again(
    tmp_path: Path, status: HTTPStatus, body: bytes
) -> None:
    with ApiServer() as server, OpaProcess(tmp_path, policies={"a.rego": POLICY}) as opa, start_proxy(opa) as proxy:
        installation = Installation(tmp_path, server, sources=("service",), example_org="")
        installation.apply(namespace(), service("web"))
        flags = (f"--opa-url={proxy.url}", "--interval=1s", "--delete-grace-period=0s")
        with installation.start(*flags) as running:
            installation.until(lambda: installation.zones.published() == [WEB])
            with proxy.fail_with(status, body):
                installation.apply(service("new"), service("bad"), service("web", address="192.0.2.2"))
                running.until("The policy server does not answer")
                installation.until(lambda: b'reason="policy-unavailable"} 3' in running.metrics())
                assert installation.zones.published() == [WEB]
            running.until("The policy server answers again")
            assert proxy.polls <= 2
            installation.until(lambda: installation.zones.published() == [NEW, "web.example.org A 192.0.2.2"])
            assert proxy.polls <= 2 or "bad.example.org" not in "".join(installation.zones.published())
            assert b"extdns_defects_total 0.0" in running.metrics()
        assert not [line for line in running.lines if "Desired change: DELETE" in line]
