"""The client of Open Policy Agent against a real one."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from extdns.errors import InvalidValueError
from extdns.model.change import RuleAction, Violation
from extdns.opa.answers import parse_path
from extdns.opa.connection import OpaConnection, OpaSettings
from extdns.opa.server import OpaServer
from extdns.rules.evaluation import Evaluation
from extdns.rules.policy_server import PolicyAnswers, PolicyProblem
from extdns.rules.rule_input import RuleInput
from tests.required_programs import require_program
from tests.slow.rego.opa_process import OpaProcess
from tests.unit.opa.rule_inputs import build_input

_PATHS: Final = parse_path("extdns/deny")
_TIMEOUT_S: Final = 20.0
_SHORT_TTL: Final = """\
package extdns

deny contains sprintf("%s has a TTL of %v", [input.record.name, input.record.ttl]) if input.record.ttl < 60

warn contains {"msg": "an old domain", "rule": "old"} if endswith(input.record.name, ".old.example.org")
"""
_SHORT_TTL_IN_V0: Final = """\
package extdns

deny[message] {
	input.record.ttl < 60
	message := sprintf("%s has a TTL of %v", [input.record.name, input.record.ttl])
}
"""
_TWO_VALUES: Final = """\
package extdns

owner := "a" if input.record.name == "web3.example.org"

owner := "b" if input.record.name == "web3.example.org"

deny contains "not yours" if owner != "a"
"""
_DENIED: Final = Evaluation(
    violations=(Violation(rule="extdns", action=RuleAction.DENY, message="web2.example.org has a TTL of 10"),),
    matched=("extdns",),
)


@pytest.fixture(scope="module")
def opa(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpaProcess]:
    """Run a server for all tests, which load what they need."""
    with OpaProcess(tmp_path_factory.mktemp("opa")) as process:
        yield process


@pytest.fixture
def server(opa: OpaProcess) -> Iterator[OpaServer]:
    """Connect to the server without policies."""
    for policy in ("dns/rules/ttl.rego", "dns/rules/owner.rego"):
        opa.request("DELETE", f"/v1/policies/{policy}")
    connected = connect(opa.url)
    yield connected
    connected.close()


def connect(url: str, **settings: str) -> OpaServer:
    return OpaServer(OpaConnection(OpaSettings(url=url, timeout_s=_TIMEOUT_S, **settings)), _PATHS)


def evaluate_once(url: str, item: RuleInput, **settings: str) -> PolicyAnswers:
    server = connect(url, **settings)
    answers = server.evaluate([item])
    server.close()
    return answers


def evaluate(server: OpaServer, *inputs: RuleInput) -> PolicyAnswers:
    return server.evaluate(
        inputs or [build_input(f"web{number}", ttl_s=10 if number == 2 else 0) for number in range(4)]
    )


def test_each_record_is_evaluated_on_its_own_and_gets_the_messages_of_deny_and_warn_policies(
    opa: OpaProcess, server: OpaServer
) -> None:
    opa.put_policy("dns/rules/ttl.rego", _SHORT_TTL)
    inputs = (build_input("a", ttl_s=300), build_input("a.old", ttl_s=300), build_input("web2", ttl_s=10))
    warning = Violation(rule="extdns.old", action=RuleAction.WARN, message="an old domain")
    assert evaluate(server, *inputs) == PolicyAnswers(
        evaluations=(Evaluation(), Evaluation(violations=(warning,), matched=("extdns.old",)), _DENIED)
    )


def test_a_rego_policy_gets_the_record_and_its_object_as_input(opa: OpaProcess, server: OpaServer) -> None:
    text = 'package extdns\n\ndeny contains json.marshal(input) if input.object.labels.tier == "x"\n'
    opa.put_policy("dns/rules/ttl.rego", text)
    (found,) = evaluate(server, build_input("web", labels={"tier": "x"})).evaluations
    message = found.violations[0].message
    assert '"name":"web.example.org"' in message
    assert '"operation":"CREATE"' in message


def test_a_record_gets_no_answer_while_opa_has_no_policy(server: OpaServer) -> None:
    answers = evaluate(server, build_input("web"))
    assert answers.problem == ""
    assert answers.evaluations == (Evaluation(unavailable="no loaded policy defines extdns/deny"),)


def test_if_a_policy_fails_for_one_record_all_other_records_still_get_answers(
    opa: OpaProcess, server: OpaServer
) -> None:
    opa.put_policy("dns/rules/ttl.rego", _SHORT_TTL)
    opa.put_policy("dns/rules/owner.rego", _TWO_VALUES)
    inputs = [build_input(f"web{number}", ttl_s=300) for number in range(500)]
    answers = server.evaluate(inputs)
    assert [number for number, one in enumerate(answers.evaluations) if one.unavailable] == [3]
    assert {one.policy for one in answers.policy_problems} == {"dns/rules/owner.rego"}
    assert answers.problem == ""


@pytest.mark.parametrize(
    "rule",
    [
        pytest.param("deny := true", id="boolean"),
        pytest.param('deny := {"a": "b"}', id="object"),
        pytest.param("deny contains 7", id="number"),
        pytest.param('deny contains {"message": "no"}', id="object-without-msg"),
        pytest.param('deny contains concat("", [x | some i in numbers.range(1, 30000); x := "long"])', id="long"),
    ],
)
def test_a_policy_result_in_an_unsupported_form_counts_as_no_answer(
    opa: OpaProcess, server: OpaServer, rule: str
) -> None:
    opa.put_policy("dns/rules/ttl.rego", f"package extdns\n\n{rule}\n")
    answers = evaluate(server, build_input("web"))
    assert answers.evaluations[0].unavailable.startswith("the result of extdns/deny ")
    assert answers.policy_problems == (PolicyProblem(message=answers.evaluations[0].unavailable),)


def test_all_rules_of_the_package_are_asked_that_conftest_would_ask(opa: OpaProcess, server: OpaServer) -> None:
    opa.put_policy(
        "dns/rules/ttl.rego",
        'package extdns\n\ndeny := set()\n\ndeny_ttl contains "short" if input.record.ttl < 60\n\n'
        'violation contains {"msg": "old", "details": 1}\n\nwarn_name contains "long"\n',
    )
    server.read_version()
    found = evaluate(server, build_input("web2", ttl_s=10)).evaluations[0].violations
    assert {(one.rule, str(one.action), one.message) for one in found} == {
        ("extdns.ttl", "deny", "short"),
        ("extdns", "deny", "old"),
        ("extdns.name", "warn", "long"),
    }


@pytest.mark.parametrize(
    ("options", "text"),
    [
        pytest.param((), '  package extdns\n\n  deny_ttl contains "short"', id="indented"),
        pytest.param((), 'package\textdns # rules\ndeny_ttl contains "short"', id="tab"),
        pytest.param(("--v0-compatible",), 'package extdns\n\tdeny_ttl["short"] { true }', id="v0"),
    ],
)
def test_a_deny_rule_is_asked_however_its_policy_is_formatted(
    tmp_path: Path, options: tuple[str, ...], text: str
) -> None:
    with OpaProcess(tmp_path, *options, policies={"a": text, "b": "package extdns\ndeny = set()"}) as opa:
        server = connect(opa.url)
        server.read_version()
        (found,) = evaluate(server, build_input("web")).evaluations
        server.close()
    assert [one.message for one in found.violations] == ["short"]


@pytest.mark.parametrize(
    "helper",
    [
        pytest.param('deny_message(one) := sprintf("x %v", [one])', id="function"),
        pytest.param("default deny_exempt := false", id="boolean"),
        pytest.param("warn_level := 3", id="number"),
        pytest.param("deny_limits.ttl := 60", id="object"),
    ],
)
def test_a_helper_that_is_named_as_a_rule_does_not_count(opa: OpaProcess, server: OpaServer, helper: str) -> None:
    opa.put_policy("dns/rules/ttl.rego", f"{_SHORT_TTL}\n{helper}\n")
    server.read_version()
    assert evaluate(server, build_input("web2", ttl_s=10)) == PolicyAnswers(evaluations=(_DENIED,))


def test_changed_objects_that_kube_mgmt_copies_do_not_change_the_revision(opa: OpaProcess, server: OpaServer) -> None:
    opa.put_policy("dns/rules/ttl.rego", 'package extdns\n\ndeny contains "no" if data.kubernetes.services.a.b\n')
    revisions = set()
    for address in ("192.0.2.1", "192.0.2.2"):
        opa.put_data("kubernetes/services", {"a": {"b": address}})
        revisions.add(server.read_version().revision)
    assert len(revisions) == 1


def test_a_rule_allow_denies_what_it_does_not_allow(opa: OpaProcess) -> None:
    opa.put_policy(
        "dns/rules/ttl.rego", "package extdns\n\ndefault allow := false\n\nallow if input.record.ttl >= 60\n"
    )
    server = OpaServer(OpaConnection(OpaSettings(url=opa.url, timeout_s=_TIMEOUT_S)), parse_path("extdns/allow"))
    answers = evaluate(server, build_input("web1", ttl_s=60), build_input("web2", ttl_s=10))
    server.close()
    assert [[one.message for one in found.violations] for found in answers.evaluations] == [
        [],
        ["extdns/allow is false"],
    ]


@pytest.mark.parametrize("reference", ["data.dns.limits.min", 'data.dns["limits"].min', "data.dns.limits[key]"])
def test_the_revision_changes_if_data_of_the_policies_changes(
    opa: OpaProcess, server: OpaServer, reference: str
) -> None:
    rule = f'deny contains "short" if {{\n\tsome key in ["min"]\n\tinput.record.ttl < {reference}\n}}\n'
    opa.put_policy("dns/rules/ttl.rego", f"package extdns\n\n{rule}")
    revisions = []
    for least in (60, 300, 300):
        opa.put_data("dns/limits", {"min": least})
        revisions.append(server.read_version().revision)
    assert revisions[0] != revisions[1] == revisions[2]


def test_control_characters_in_a_policy_message_are_escaped(opa: OpaProcess, server: OpaServer) -> None:
    opa.put_policy(
        "dns/rules/ttl.rego", 'package extdns\n\ndeny contains sprintf("a\\n\\u001b[1m%s", [input.record.name])\n'
    )
    (found,) = evaluate(server, build_input("web")).evaluations
    assert found.violations[0].message == r"a\n\x1b[1mweb.example.org"


def test_the_revision_changes_if_any_policy_or_its_text_changes(opa: OpaProcess, server: OpaServer) -> None:
    opa.put_policy("dns/rules/ttl.rego", _SHORT_TTL)
    first, again = server.read_version(), server.read_version()
    assert first == again
    assert [policy.id for policy in first.policies] == ["dns/rules/ttl.rego"]
    opa.put_policy("dns/rules/ttl.rego", _SHORT_TTL.replace("60", "61"))
    second = server.read_version()
    opa.put_policy("other/rules/x.rego", "package other\n\nx := 1\n")
    third = server.read_version()
    opa.request("DELETE", "/v1/policies/other/rules/x.rego")
    assert len({first.revision, second.revision, third.revision}) == 3
    assert [policy.id for policy in third.policies] == ["dns/rules/ttl.rego"]
    assert (first.policies != second.policies, second.policies == third.policies) == (True, True)


def test_the_revision_changes_if_the_version_of_an_opa_bundle_changes(opa: OpaProcess, server: OpaServer) -> None:
    first = server.read_version()
    opa.put_data("system/bundles/shop", {"manifest": {"revision": "v7"}, "etag": "x"})
    second = server.read_version()
    opa.request("DELETE", "/v1/data/system/bundles/shop")
    assert first.revision != second.revision
    assert second.label == "shop=v7"


def test_answers_come_again_after_opa_was_killed_and_restarted(tmp_path: Path) -> None:
    with OpaProcess(tmp_path, policies={"dns/rules/ttl.rego": _SHORT_TTL}) as opa:
        server = connect(opa.url)
        web = build_input("web2", ttl_s=10)
        assert evaluate(server, web).evaluations == (_DENIED,)
        opa.kill()
        gone = evaluate(server, web)
        assert gone.problem == f"POST {opa.url}/v1/query: Connection refused"
        assert gone.evaluations == (Evaluation(unavailable=gone.problem),)
        assert server.read_version().problem == f"GET {opa.url}/v1/policies: Connection refused"
        opa.start()
        assert evaluate(server, web).evaluations == (_DENIED,)
        server.close()


def test_an_opa_that_reads_rego_as_before_its_version_1_answers(tmp_path: Path) -> None:
    with OpaProcess(tmp_path, "--v0-compatible", policies={"dns/rules/ttl.rego": _SHORT_TTL_IN_V0}) as opa:
        assert evaluate_once(opa.url, build_input("web2", ttl_s=10)).evaluations == (_DENIED,)


def test_opa_can_be_reached_over_a_unix_socket(tmp_path: Path) -> None:
    path = tmp_path / "opa.sock"
    with OpaProcess(tmp_path, f"--addr=unix://{path}", policies={"dns/rules/ttl.rego": _SHORT_TTL}):
        assert evaluate_once(f"unix://{path}", build_input("web2", ttl_s=10)).evaluations == (_DENIED,)


def test_opa_can_be_reached_over_tls_with_a_client_certificate(tmp_path: Path) -> None:
    create_certificates(tmp_path)
    arguments = (
        *(f"--tls-cert-file={tmp_path}/server.crt", f"--tls-private-key-file={tmp_path}/server.key"),
        *(f"--tls-ca-cert-file={tmp_path}/ca.crt", "--authentication=tls", save_policy(tmp_path)),
    )
    client = {"client_cert_file": f"{tmp_path}/client.crt", "client_key_file": f"{tmp_path}/client.key"}
    trust = {"ca_file": f"{tmp_path}/ca.crt"}
    web = build_input("web2", ttl_s=10)
    with OpaProcess(tmp_path, *arguments, tls=True) as opa:
        assert evaluate_once(opa.url, web, **trust, **client).evaluations == (_DENIED,)
        assert "certificate verify failed" in evaluate_once(opa.url, web, **client).problem
        assert evaluate_once(opa.url, web, **trust).problem
        assert evaluate_once(opa.url, web, **trust, client_cert_file="missing").problem


def test_the_token_for_opa_is_read_from_its_file_again_for_each_request(tmp_path: Path) -> None:
    token = tmp_path / "token"
    authz = 'package system.authz\n\ndefault allow := false\n\nallow if input.identity == "right"\n'
    (tmp_path / "authz.rego").write_text(authz, encoding="utf-8")
    arguments = ("--authentication=token", "--authorization=basic", str(tmp_path / "authz.rego"))
    web = build_input("web2", ttl_s=10)
    with OpaProcess(tmp_path, *arguments, save_policy(tmp_path)) as opa:
        server = connect(opa.url, token_file=str(token))
        problem = f"POST {opa.url}/v1/query: token file {token}: No such file or directory"
        assert evaluate(server, web).problem == problem
        token.write_text("wrong", encoding="ascii")
        problem = f"POST {opa.url}/v1/query: status 401 Unauthorized: request rejected by administrative policy"
        assert evaluate(server, web).problem == problem
        token.write_text("right\n", encoding="ascii")
        assert evaluate(server, web).evaluations == (_DENIED,)
        server.close()


def save_policy(folder: Path) -> str:
    path = folder / "ttl.rego"
    path.write_text(_SHORT_TTL, encoding="utf-8")
    return str(path)


def create_certificates(folder: Path) -> None:
    """Create `ca`, and `server` and `client` that it signed, each with `.crt` and `.key`."""
    extensions = folder / "extensions"
    extensions.write_text("subjectAltName=IP:127.0.0.1\n", encoding="ascii")
    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
    openssl(
        "req", "-x509", *key, "-subj", "/CN=ca", "-days", "2", "-keyout", folder / "ca.key", "-out", folder / "ca.crt"
    )
    for name in ("server", "client"):
        request, signed = folder / f"{name}.csr", folder / f"{name}.crt"
        openssl("req", *key, "-subj", f"/CN={name}", "-keyout", folder / f"{name}.key", "-out", request)
        signer = ("-CA", folder / "ca.crt", "-CAkey", folder / "ca.key", "-CAcreateserial", "-days", "2")
        openssl("x509", "-req", "-in", request, *signer, "-extfile", extensions, "-out", signed)


def openssl(*arguments: str | Path) -> None:
    subprocess.run((require_program("rules in Rego", "openssl"), *arguments), check=True, capture_output=True)


@pytest.mark.parametrize("path", ["deny", "/extdns/deny", "extdns//deny", 'extdns/"deny', "extdns/deny ", ""])
def test_a_policy_path_that_does_not_name_a_rule_in_a_package_is_refused(path: str) -> None:
    with pytest.raises(InvalidValueError):
        parse_path(path)


@pytest.mark.parametrize(
    ("url", "token_file"),
    [
        ("127.0.0.1:8181", ""),
        ("ftp://127.0.0.1", ""),
        ("http://", ""),
        ("http://127.0.0.1:x", ""),
        ("http://a:b@127.0.0.1", ""),
        ("http://127.0.0.1/?a", ""),
        ("unix://", ""),
        ("http://opa.example.org:8181", "/token"),
    ],
)
def test_an_opa_url_is_refused_if_it_is_invalid_or_would_send_the_token_in_plain_text(
    url: str, token_file: str
) -> None:
    with pytest.raises(InvalidValueError):
        OpaConnection(OpaSettings(url=url, timeout_s=1.0, token_file=token_file))
