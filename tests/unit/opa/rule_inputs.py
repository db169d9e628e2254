"""Rule inputs of the Services of a shop."""

from __future__ import annotations

from collections.abc import Mapping

from extdns.model.record import DesiredRecord
from extdns.model.value import StringMap
from extdns.rules.rule_input import Operation, RuleInput, RuleNamespace, RuleObject
from tests.builders import ZONE, host


def build_input(
    name: str, *targets: str, ttl_s: int = 0, labels: Mapping[str, str] | None = None, namespace: str = "shop"
) -> RuleInput:
    """Build the input for a record that the Service *name* requests at the same name of example.org."""
    found = RuleObject(
        api_version="v1", kind="Service", namespace=namespace, name=name, labels=StringMap.from_items(labels or {})
    )
    return RuleInput(
        operation=Operation.CREATE,
        record=DesiredRecord(name=host(name), type="A", targets=targets or ("192.0.2.1",), ttl_s=ttl_s),
        zone=ZONE,
        source="service",
        object=found,
        namespace=RuleNamespace(name=namespace),
    )
