"""Expressions and DNSPolicies for tests of `extdns.cel`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from extdns.cel.expression import compile_expression
from extdns.cel.policy import CompiledPolicy, compile_policy
from extdns.cel.policy_document import PolicyMatch, read_policy
from extdns.cel.references import References
from extdns.model.dns_name import DnsName
from extdns.model.record import DesiredRecord, OwnedRecord, Record
from extdns.model.value import StringMap
from extdns.model.zone import Zone
from extdns.rules.rule_input import Operation, RuleInput, RuleNamespace, RuleObject, build_document

ZONE = Zone(name=DnsName("example.com"), id="Z1")
SERVICE = RuleObject(
    api_version="v1",
    kind="Service",
    namespace="team-a",
    name="web",
    labels=StringMap.from_items({"app": "web"}),
    annotations=StringMap.from_items({"dns.example/owner": "ops"}),
)
TEAM = RuleNamespace(
    name="team-a",
    labels=StringMap.from_items({"team": "a"}),
    annotations=StringMap.from_items({"contact": "a@example.com"}),
)


def build_input(
    name: str = "web.team-a.example.com",
    *targets: str,
    record_type: str = "A",
    **others: Any,  # noqa: ANN401 - fields of different types
) -> RuleInput:
    """Build the input of a record that the Service team-a/web requests."""
    record = DesiredRecord(
        name=DnsName(name),
        type=record_type,
        targets=targets or ("192.0.2.1",),
        ttl_s=others.pop("ttl_s", 300),
        set_identifier=others.pop("set_identifier", ""),
        properties=StringMap.from_items(others.pop("properties", {})),
    )
    defaults = {"operation": Operation.CREATE, "source": "service", "object": SERVICE, "namespace": TEAM, "zone": ZONE}
    return RuleInput(record=record, **{**defaults, **others})


def build_current(name: str = "web.team-a.example.com") -> OwnedRecord:
    """Build the current record of the Service team-a/web."""
    return OwnedRecord(
        record=Record(name=DnsName(name), type="A", targets=("192.0.2.9",), ttl_s=60),
        owner="default",
        is_ours=True,
        labels=StringMap.from_items({"resource": "service/team-a/web"}),
    )


_MAPS = st.dictionaries(st.sampled_from(("team", "owner", "web")), st.sampled_from(("a", "b")), max_size=3).map(
    lambda found: StringMap.from_items(found.items())
)
_OBJECTS = st.builds(
    RuleObject,
    api_version=st.just("v1"),
    kind=st.just("Service"),
    namespace=st.sampled_from(("", "team-a", "team-b")),
    name=st.sampled_from(("web", "api")),
    labels=_MAPS,
    annotations=_MAPS,
)
INPUTS = st.builds(
    build_input,
    st.sampled_from(("web.example.com", "api.team-a.example.com", "web.team-b.example.com", "example.com")),
    st.sampled_from(("192.0.2.1", "10.0.0.1", "lb.example.net")),
    operation=st.sampled_from(Operation),
    source=st.sampled_from(("service", "ingress")),
    record_type=st.sampled_from(("A", "CNAME")),
    ttl_s=st.sampled_from((0, 1, 60)),
    properties=st.sampled_from(({}, {"alias": "true"}, {"alias": "true", "x": "y"})),
    zone=st.sampled_from((Zone(name=DnsName("example.com"), id="a"), Zone(name=DnsName("com"), id="b", private=True))),
    object=st.none() | _OBJECTS,
    namespace=st.none() | st.builds(RuleNamespace, name=st.just("team-a"), labels=_MAPS, annotations=_MAPS),
    current=st.none() | st.sampled_from(("web.example.com", "api.team-a.example.com")).map(build_current),
)
"""Inputs that differ in all that rules read."""


def evaluate(source: str, item: RuleInput | None = None) -> object:
    """Compile *source* and return its value for *item*."""
    expression = compile_expression(source)
    references = References([expression.syntax])
    return expression.evaluate(references.build_context(build_document(item or build_input())))


def build_policy(*expressions: str | Mapping[str, object], name: str = "rule", **spec: object) -> CompiledPolicy:
    """Build a policy with *expressions*, which must be valid; *spec* has its other fields."""
    validations = [{"expression": one} if isinstance(one, str) else dict(one) for one in expressions]
    parsed = read_policy(name, {"validations": validations, **spec})
    assert parsed.text is not None, parsed.problems
    policy = compile_policy(parsed.text)
    assert isinstance(policy, CompiledPolicy), policy
    return policy


def read_match(**match: object) -> PolicyMatch:
    """Read the `match` of a policy, which must be valid."""
    parsed = read_policy("rule", {"match": match, "validations": [{"expression": "true"}]})
    assert parsed.problems == ()
    return parsed.match
