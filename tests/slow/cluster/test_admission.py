"""The policy of `extdns policy export` in the real API server: it refuses what extdns rejects, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from extdns.app.sources import build_sources
from extdns.command import run_command
from extdns.commands.admission_policy import MAX_LIST
from extdns.config import parse
from extdns.errors import describe_invalid_value
from extdns.model.claim import InvalidClaim, ResolvedClaim, UnresolvedClaim
from extdns.model.reason import Reason
from extdns.model.record import DesiredRecord
from extdns.resources.core import Service, ServiceSpec
from extdns.sources.common.annotation_names import OLD_PREFIX, PREFIX
from tests.fakes.apiserver.raw_client import Reply
from tests.fakes.view import FakeView
from tests.kubernetes.cluster import Cluster
from tests.unit.model import test_ttl, test_validation
from tests.unit.sources import test_annotations, test_targets
from tests.unit.sources.samples import meta

NAMESPACE: Final = "admission"
SOURCE: Final = build_sources(parse(["--source=service", "--provider=inmemory"], {}))[0]
CHECKED: Final = ("hostname", "internal-hostname", "target", "ttl", "alias", "access", "endpoints-type")
LIKELY: Final = st.text("aZ09_-*.:/% ,\\f1", max_size=40) | st.text(max_size=12)


def list_cases() -> Iterator[str]:
    """Yield each text with which the unit tests try what annotations may have, whatever it is there."""
    for module in (test_validation, test_ttl, test_annotations, test_targets):
        for test in vars(module).values():
            for mark in getattr(test, "pytestmark", ()):
                for case in mark.args[1] if mark.name == "parametrize" else ():
                    yield from list_texts(getattr(case, "values", case))


def list_texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, DesiredRecord):
        yield from (value.name, *value.targets)
    elif isinstance(value, tuple | list | dict):
        for item in value.values() if isinstance(value, dict) else value:
            yield from list_texts(item)


def find_rejections(**annotations: str) -> list[str]:
    """Return what `extdns explain` says of the values that the program rejects, of a Service with *annotations*."""
    service = Service(
        metadata=meta(f"{NAMESPACE}/web", with_prefix(annotations)), spec=ServiceSpec(type="LoadBalancer")
    )
    found: list[str] = []
    for claim in SOURCE.find_claims(service, FakeView()):
        match claim:
            case InvalidClaim():
                found.append(f"{claim.provenance.field}: {describe_invalid_value(claim.value, claim.allowed)}")
            case UnresolvedClaim(reason=Reason.INVALID_TARGET):
                found.append(claim.detail)
            case ResolvedClaim():
                found += (f"{one.field}: {describe_invalid_value(one.value, one.allowed)}" for one in claim.warnings)
            case _:
                pass
    return found


def is_left_to_extdns(name: str, text: str) -> bool:
    """Return whether the API server accepts *text* for annotation *name* whatever extdns decides."""
    is_no_target = name == "target" and not text.strip(" ,\t")
    return is_no_target or (name in {"hostname", "internal-hostname", "target"} and not text.isascii())


def with_prefix(annotations: dict[str, str], prefix: str = PREFIX) -> dict[str, str]:
    return {f"{prefix}{name.replace('_', '-')}": value for name, value in annotations.items()}


def build(annotations: dict[str, str], namespace: str = NAMESPACE, **labels: str) -> dict[str, Any]:
    metadata = {"name": "web", "namespace": namespace, "labels": labels, "annotations": annotations}
    spec = {"type": "LoadBalancer", "ports": [{"port": 80}]}
    return {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": spec}


def try_to_create(cluster: Cluster, obj: dict[str, Any]) -> Reply:
    path = f"/api/v1/namespaces/{obj['metadata']['namespace']}/services?dryRun=All"
    return cluster.raw_client.send("POST", path, obj | {"metadata": obj["metadata"] | {"name": "tried"}})


def check_types(cluster: Cluster, policy: str) -> None:
    """Check that the API server found no wrong type in an expression of *policy*."""
    arguments = ("get", f"validatingadmissionpolicies/{policy}", "-o=jsonpath={.status.typeChecking}")
    cluster.until(lambda: cluster.kubectl(*arguments))
    assert cluster.kubectl(*arguments) == "{}"


RULES: Final = """
apiVersion: extdns.io/v1alpha1
kind: DNSPolicy
metadata: {name: may-publish}
spec:
  match: {sources: [service], namespaceSelector: {matchExpressions: [{key: exempt, operator: DoesNotExist}]}}
  variables: [{name: key, expression: "'dns.example.com/publish'"}]
  validations:
    - expression: namespace != null && variables.key in namespace.labels && namespace.labels[variables.key] == 'allowed'
      messageExpression: "'namespace ' + object.namespace + ' needs the label ' + variables.key + '=allowed'"
---
apiVersion: extdns.io/v1alpha1
kind: DNSPolicy
metadata: {name: has-team}
spec:
  validations: [{expression: "'team' in object.labels", message: a label team is missing}]
  action: warn
---
apiVersion: extdns.io/v1alpha1
kind: DNSPolicy
metadata: {name: ttl-floor}
spec:
  validations: [{expression: record.ttl >= 60}]
"""

Guard = Callable[..., None]


@pytest.fixture
def guard(any_version: Cluster, capsys: pytest.CaptureFixture[str]) -> Guard:
    """Return a function that creates the policy for *flags* in a namespace, and waits until it works."""

    def apply(*flags: str, namespace: str = NAMESPACE, refused: dict[str, Any] | None = None) -> None:
        any_version.create_namespace(namespace)
        assert run_command("policy", ["export", "--source=service", f"--namespace={namespace}", *flags], {}) == 0
        policy = capsys.readouterr().out.replace("extdns-annotations", f"extdns-{namespace}")
        any_version.kubectl("apply", "--server-side", "-f", "-", stdin=policy)
        obj = refused or build(with_prefix({"ttl": "never"}), namespace)
        any_version.until(lambda: try_to_create(any_version, obj).code == 422)

    return apply


def test_the_api_server_refuses_what_the_gate_rejects(any_version: Cluster, guard: Guard) -> None:
    guard()
    for text in dict.fromkeys(list_cases()):
        for name in CHECKED:
            annotations = {"hostname": "only.here.example", "target": "lb.here.example", name.replace("-", "_"): text}
            refused = try_to_create(any_version, build(with_prefix(annotations))).code != 201
            rejected = bool(find_rejections(**annotations)) and not is_left_to_extdns(name, text)
            assert refused == rejected, (name, text)


def test_the_api_server_accepts_what_the_gate_accepts(any_version: Cluster, guard: Guard) -> None:
    guard()

    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
    @example("::ffff:192.0.2.1")
    @example("x" * 63 + ".test")
    @given(LIKELY)
    def check(text: str) -> None:
        for name in ("hostname", "target", "ttl"):
            if not find_rejections(**{"hostname": "only.here.example", "target": "lb.here.example", name: text}):
                reply = try_to_create(any_version, build(with_prefix({name: text})))
                assert reply.code == 201, reply.body

    check()


def test_the_refusal_says_what_explain_says(any_version: Cluster, guard: Guard) -> None:
    guard()
    invalid = {"ttl": "10 minutes", "hostname": "ok.test,!!", "target": "1.2.3.4,(", "alias": "yes"}
    for name, text in invalid.items():
        (said,) = find_rejections(**{"hostname": "web.test", "target": "lb.test", name: text})
        reply = try_to_create(any_version, build(with_prefix({name: text})))
        assert reply.body["message"].endswith(f": {said.removeprefix('target ')}")


def test_an_invalid_value_that_was_stored_before_stays_until_it_is_changed(any_version: Cluster, guard: Guard) -> None:
    before = with_prefix({"ttl": "never", "hostname": "a.test"})
    any_version.put(build(before, "stored"))
    guard(namespace="stored")

    def annotate(value: str, code: int = 0) -> str:
        return any_version.kubectl("-n", "stored", "annotate", "--overwrite", "service/web", value, code=code)

    annotate("other/key=x")
    annotate(f"{PREFIX}hostname=b.test")
    assert "ttl: 'x' is not valid; allowed: seconds (600)" in annotate(f"{PREFIX}ttl=x", code=1)
    annotate(f"{PREFIX}ttl-")


def test_only_annotations_that_extdns_reads_are_checked(any_version: Cluster, guard: Guard) -> None:
    guard()
    bad, old = with_prefix({"ttl": "never"}), with_prefix({"ttl": "never"}, OLD_PREFIX)
    assert try_to_create(any_version, build(old)).code == 422
    for accepted in (old | with_prefix({"hostname": "a.test"}), bad | with_prefix({"controller": "other"})):
        assert try_to_create(any_version, build(accepted)).code == 201
    assert try_to_create(any_version, build(bad, "default")).code == 201
    guard("--annotation-prefix=a.test/", namespace="own", refused=build({"a.test/ttl": "never"}, "own"))
    assert try_to_create(any_version, build(bad, "own")).code == 201


SELECTORS: Final = ("team", "!legacy", "team=a", "team in (a,b)", "legacy!=x", "legacy notin (x)", "n>2")


@pytest.mark.parametrize(("number", "selector"), list(enumerate(SELECTORS)), ids=SELECTORS)
def test_objects_that_a_filter_excludes_are_not_checked(
    any_version: Cluster, guard: Guard, number: int, selector: str
) -> None:
    bad, namespace = with_prefix({"ttl": "never"}), f"filtered-{number}"
    guard(f"--label-filter={selector}", namespace=namespace, refused=build(bad, namespace, team="a", n="10"))
    assert try_to_create(any_version, build(bad, namespace, legacy="x", n="2")).code == 201


def test_a_list_that_the_api_server_would_check_for_long_is_accepted(any_version: Cluster, guard: Guard) -> None:
    guard()
    for count, code in ((MAX_LIST // 2 - 1, 422), (100_000, 201)):
        assert try_to_create(any_version, build(with_prefix({"hostname": "a," * count + "x!"}))).code == code


def test_the_api_server_finds_no_wrong_type_in_an_expression(any_version: Cluster, guard: Guard) -> None:
    refused = build(with_prefix({"ttl": "never"}) | {"a": "b"}, "typed")
    guard("--source=ingress", "--source=pod", "--annotation-filter=a=b,!c", namespace="typed", refused=refused)
    check_types(any_version, "extdns-typed")


def test_rules_about_an_object_and_its_namespace_are_enforced(
    any_version: Cluster, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = tmp_path / "rules.yaml"
    rules.write_text(RULES)
    arguments = ["export", "--source=service", f"--policy-rules={rules}", "--namespace=ruled"]
    assert run_command("policy", arguments, {}) == 0
    shown = capsys.readouterr()
    assert shown.err == "warning: not exported, because they read more than the object and its namespace: ttl-floor\n"
    named = build(with_prefix({"hostname": "a.test"}), "ruled")
    any_version.put(named)
    any_version.kubectl("apply", "--server-side", "-f", "-", stdin=shown.out)
    any_version.until(lambda: try_to_create(any_version, named).code == 422)
    message = try_to_create(any_version, named).body["message"]
    assert message.endswith(": may-publish: namespace ruled needs the label dns.example.com/publish=allowed")
    assert try_to_create(any_version, build({}, "ruled")).code == 201
    any_version.kubectl("-n", "ruled", "label", "service/web", "a=b")  # it requests no other name
    any_version.kubectl("label", "namespace/ruled", "dns.example.com/publish=allowed")
    any_version.until(lambda: "Warning" in try_to_create(any_version, named).headers)
    reply = try_to_create(any_version, named)
    assert reply.code == 201
    assert reply.headers["Warning"].endswith('has-team: a label team is missing"')
    for name in ("may-publish", "has-team"):
        check_types(any_version, f"extdns-rule-{name}")
