"""Hosts and targets that templates render (docs/spec/sources.md 8.7, 8.8, 3.2, 4.4, 6.1, 6.2, 6.6)."""

from __future__ import annotations

from typing import Final, TypeVar

import pytest

from extdns.errors import UsageError
from extdns.gotemplate.errors import TemplateError
from extdns.model.claim import Claim, ResolvedClaim
from extdns.model.kind import KubernetesObject
from extdns.ports import Source
from extdns.resources.core import Node, Pod, PodIP, PodStatus, Service, ServiceSpec
from extdns.resources.ingress_controllers import F5Spec, F5VirtualServer
from extdns.resources.networking import Ingress
from extdns.sources.common.annotation_names import BOTH_PREFIXES
from extdns.sources.common.claim_builder import Templates
from extdns.sources.fake import DEFAULT_BASE_NAME, render_base_names
from extdns.sources.service import Compatibility
from tests.fakes.view import FakeView
from tests.unit.sources.expected_claims import reduce_claims
from tests.unit.sources.made import build_source, keep_all_fields, settings_with, templates
from tests.unit.sources.samples import ingress, load_balancer, meta, node, ours, service

T = TypeVar("T", Service, Ingress, Node, Pod)
NAMED: Final = load_balancer(ours(hostname="h.t", ttl="60"), "192.0.2.1", location="a/x")
NAMELESS: Final = load_balancer(ours(ttl="60"), "192.0.2.1", location="a/x")


def source_of(obj: KubernetesObject, made: Templates, *, ignoring: bool = False, mode: str = "") -> Source:
    selection = settings_with(prefixes=BOTH_PREFIXES, templates=made, ignore_hostname_annotation=ignoring)
    match obj:
        case Ingress():
            return build_source("ingress", selection)
        case Node():
            return build_source("node", selection)
        case Pod():
            return build_source("pod", selection)
        case _:
            return build_source("service", settings_with(selection, compatibility=Compatibility(mode)))


def claims(obj: T, made: Templates, *, ignoring: bool = False, mode: str = "") -> tuple[Claim, ...]:
    return source_of(obj, made, ignoring=ignoring, mode=mode).find_claims(keep_all_fields(obj), FakeView())


TWO: Final = ["{{.Name}}.d.t, {{.Name}}.e.t"]


@pytest.mark.parametrize(
    ("obj", "combine", "ignoring", "expected"),
    [
        pytest.param(NAMED, False, False, ["h.t 60 A 192.0.2.1"], id="8.8-only-without-other-hosts"),
        pytest.param(
            NAMED,
            True,
            False,
            ["h.t 60 A 192.0.2.1", "x.d.t 60 A 192.0.2.1", "x.e.t 60 A 192.0.2.1"],
            id="8.8-combined",
        ),
        pytest.param(
            NAMED,
            True,
            True,
            ["x.d.t 60 A 192.0.2.1", "x.e.t 60 A 192.0.2.1", "h.t: excluded by --ignore-hostname-annotation"],
            id="8.8-without-the-annotation",
        ),
        pytest.param(
            NAMELESS, False, False, ["x.d.t 60 A 192.0.2.1", "x.e.t 60 A 192.0.2.1"], id="8.8-object-without-hosts"
        ),
        pytest.param(
            service(None, ServiceSpec(type="ClusterIP", cluster_ip="10.0.0.1"), location="a/x"),
            False,
            False,
            ["x.d.t: excluded by --publish-internal-services", "x.e.t: excluded by --publish-internal-services"],
            id="3.2-external-mode",
        ),
    ],
)
def test_fqdn_templates_give_hosts_of_services(
    obj: Service, combine: bool, ignoring: bool, expected: list[str]
) -> None:
    assert reduce_claims(claims(obj, templates(TWO, combine=combine), ignoring=ignoring)) == expected


def test_claims_for_template_hosts_name_the_template_flag_as_their_field() -> None:
    first, *_ = claims(NAMELESS, templates(TWO))
    assert isinstance(first, ResolvedClaim)
    assert first.provenance.field == "--fqdn-template"
    assert first.desired.resource == "service/a/x"


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        pytest.param(
            templates(pairs=["{{.Name}}.t:{{.Spec.ClusterIP}},{{.Name}}6.t:2001:db8::7,bad,:x,y:"]),
            ["x.t A 10.3.0.9", "x6.t AAAA 2001:db8::7"],
            id="8.8-pairs",
        ),
        pytest.param(
            templates(pairs=["a.t:192.0.2.1,a.t:192.0.2.2,a.t:lb.t"]),
            ["a.t A 192.0.2.1, 192.0.2.2", "a.t CNAME lb.t"],
            id="8.8-pairs-merge",
        ),
        pytest.param(templates(["f.t"], ["p.t:192.0.2.9"]), ["p.t A 192.0.2.9"], id="8.8-pairs-suppress-names"),
        pytest.param(
            templates(["f.t"], ["p.t:192.0.2.9"], combine=True),
            ["f.t 60 A 192.0.2.1", "p.t A 192.0.2.9"],
            id="8.8-combined-all",
        ),
    ],
)
def test_template_targets_of_services_have_no_ttl(made: Templates, expected: list[str]) -> None:
    found = claims(NAMELESS, made)
    assert reduce_claims(found) == expected
    assert {claim.desired.resource for claim in found if isinstance(claim, ResolvedClaim)} == {"service/a/x"}


# docs/spec/sources.md 3.2
def test_annotations_of_older_programs_take_precedence_over_templates() -> None:
    obj = load_balancer({"zalando.org/dnsname": "m.t"}, "192.0.2.1", location="a/x")
    assert reduce_claims(claims(obj, templates(TWO), mode="mate")) == ["m.t A 192.0.2.1"]


@pytest.mark.parametrize(
    ("obj", "made", "expected"),
    [
        pytest.param(ingress("192.0.2.1"), templates(["{{.Name}}.t"]), ["app.t A 192.0.2.1"], id="4.4-no-host"),
        pytest.param(
            ingress("192.0.2.1", rules=["r.t"]), templates(["{{.Name}}.t"]), ["r.t A 192.0.2.1"], id="4.4-a-host"
        ),
        pytest.param(ingress("192.0.2.1"), templates(pairs=["p.t:192.0.2.9"]), [], id="2.6-no-pairs"),
    ],
)
def test_templates_give_ingresses_further_hostnames(obj: Ingress, made: Templates, expected: list[str]) -> None:
    assert reduce_claims(claims(obj, made)) == expected


NODE: Final = node("n1", external=["203.0.113.1"], internal=["10.0.0.1"])


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        pytest.param(templates(["{{.Name}}.n.t"]), ["n1.n.t A 203.0.113.1"], id="6.1-instead-of-its-name"),
        pytest.param(
            templates(["{{.Name}}.n.t"], combine=True),
            ["n1 A 203.0.113.1", "n1.n.t A 203.0.113.1"],
            id="6.1-beside-its-name",
        ),
        pytest.param(templates(pairs=["p.t:10.9.9.9"]), ["p.t A 10.9.9.9"], id="6.1-pairs-instead"),
    ],
)
def test_templates_give_nodes_further_hostnames(made: Templates, expected: list[str]) -> None:
    assert reduce_claims(claims(NODE, made)) == expected


# docs/spec/sources.md 6.2
def test_template_hosts_of_a_pod_get_all_addresses_of_the_pod() -> None:
    status = PodStatus(pod_ips=(PodIP(ip="10.1.0.7"), PodIP(ip="2001:db8::7"), PodIP(ip="")))
    pod = Pod(metadata=meta("app/p1", ours(target="192.0.2.9")), status=status)
    assert reduce_claims(claims(pod, templates(["{{.Name}}.t"]))) == ["p1.t A 10.1.0.7", "p1.t AAAA 2001:db8::7"]
    assert reduce_claims(claims(pod, templates(pairs=["{{.Name}}.t:192.0.2.3"]))) == ["p1.t A 192.0.2.3"]


VIRTUAL_SERVER: Final = F5VirtualServer(metadata=meta("shop/v"), spec=F5Spec(host="h.t"))
CROSSED: Final = templates(["{{.Name}}.t,w.t"], target=["192.0.2.2,192.0.2.1,lb.t"])


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        pytest.param(
            CROSSED,
            ["v.t A 192.0.2.1, 192.0.2.2", "v.t CNAME lb.t", "w.t A 192.0.2.1, 192.0.2.2", "w.t CNAME lb.t"],
            id="8.8-all-names-at-all-targets",
        ),
        pytest.param(templates(["w.t"]), [], id="8.8-no-targets"),
        pytest.param(templates(["w.t"], target=[","]), [], id="8.8-empty-targets"),
        pytest.param(
            templates(["w.t"], ["p.t:192.0.2.9"], target=["192.0.2.1"]), ["p.t A 192.0.2.9"], id="8.8-pairs-first"
        ),
    ],
)
def test_a_target_template_gives_the_targets_of_template_hosts(made: Templates, expected: list[str]) -> None:
    for compat, resource in ((False, "f5-virtualserver/shop/v"), (True, "")):
        source = build_source("f5-virtualserver", settings_with(templates=made, compat=compat))
        found = source.find_claims(keep_all_fields(VIRTUAL_SERVER), FakeView())
        assert reduce_claims(found) == ["h.t: no-address", *expected]
        assert all(claim.desired.resource == resource for claim in found if isinstance(claim, ResolvedClaim))


# docs/spec/sources.md 6.6
def test_the_fqdn_template_sets_the_base_names_of_the_fake_source() -> None:
    assert render_base_names(templates(["{{.Name}}.{{.Namespace}}.t,b.t"])) == ("b.t", "fake.default.t")
    assert render_base_names(templates([" "])) == render_base_names(templates()) == (DEFAULT_BASE_NAME,)
    with pytest.raises(UsageError, match=r"^--fqdn-template:1:3: no field .Nope in core.Pod$"):
        render_base_names(templates(["{{.Nope}}"]))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("b.t., a.t,,a.t , ", ["a.t 60 A 192.0.2.1", "b.t 60 A 192.0.2.1"], id="8.7-items"),
        pytest.param("{{.Labels.nope}}.t", ["invalid-name: <no value>.t"], id="8.7-odd-names"),
        pytest.param("{{.Spec.type}}.t", ["loadbalancer.t 60 A 192.0.2.1"], id="8.7-json-names-if-go-names-fail"),
        pytest.param("{{.Metadata.name}}.{{.Object.spec.type}}", ["x.loadbalancer 60 A 192.0.2.1"], id="8.7-the-view"),
        pytest.param('{{if isSource "service"}}a.t{{end}}', ["a.t 60 A 192.0.2.1"], id="8.7-the-running-source"),
    ],
)
def test_a_template_gives_a_list_of_hosts_separated_by_commas(text: str, expected: list[str]) -> None:
    assert reduce_claims(claims(NAMELESS, templates([text]))) == expected


@pytest.mark.parametrize(
    ("values", "message"),
    [
        pytest.param(["{{.Spec.Nope}}.t"], "--fqdn-template:1:3: no field .Nope in core.ServiceSpec", id="8.7-place"),
        pytest.param(
            ["a.t", "b\n{{.Nope}}"], "--fqdn-template[2]:2:3: no field .Nope in core.Service", id="8.7-value-number"
        ),
        pytest.param(["{{.Metadata.nope}}"], "--fqdn-template:1:3: no field .Metadata in core.Service", id="8.7-first"),
    ],
)
def test_the_error_of_a_failing_template_contains_the_flag_and_the_position(values: list[str], message: str) -> None:
    with pytest.raises(TemplateError) as error:
        claims(NAMELESS, templates(values))
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("values", "message"),
    [
        pytest.param(["a{{"], "--fqdn-template:1:2: the action does not end: }} is missing\n  a{{", id="8.7-one"),
        pytest.param(
            ["a", "b{{if}}"], "--fqdn-template[2]:1:6: if without a value\n  a,b{{if}}", id="8.7-second-value"
        ),
        pytest.param(
            ["{{if .A}}", "{{end}}"],
            "--fqdn-template[1]:1:3: {{if}} without {{end}}\n  {{if .A}},{{end}}",
            id="8.7-each",
        ),
        pytest.param(
            ['{{define "a"}}x{{end}}', '{{define "a"}}y{{end}}'],
            '--fqdn-template[2]:1:3: a template "a" is defined twice\n  {{define "a"}}x{{end}},{{define "a"}}y{{end}}',
            id="8.7-defined-twice",
        ),
    ],
)
def test_an_invalid_template_is_a_usage_error(values: list[str], message: str) -> None:
    with pytest.raises(UsageError) as error:
        templates(values)
    assert str(error.value) == message


# docs/spec/sources.md 8.7
def test_empty_template_flags_are_ignored() -> None:
    assert templates(["", " "]).fqdn is None
    assert templates([]).fqdn is None


def test_rendering_a_template_for_an_object_without_its_full_fields_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="decoded without all of their fields"):
        source_of(NAMELESS, templates(TWO)).find_claims(NAMELESS, FakeView())
