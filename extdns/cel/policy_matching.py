"""Decide whether a policy is evaluated on an input (`spec.match` of a DNSPolicy)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from extdns.cel.policy_document import PolicyMatch, SelectorRequirement
from extdns.model.dns_name import DnsName
from extdns.rules.rule_input import Operation, RuleInput


def is_matched(match: PolicyMatch, item: RuleInput) -> bool | None:
    """Return whether *match* selects *item*; None if that depends on a namespace that was not read.

    Sources do not restrict deletes, whose source is not known.
    """
    if item.operation not in match.operations:
        return False
    if match.is_unrestricted:
        return True
    if match.record_types and item.record.type not in match.record_types:
        return False
    if match.sources and item.operation is not Operation.DELETE and item.source not in match.sources:
        return False
    if match.zones and item.zone.name not in match.zones:
        return False
    if match.domains and not _is_within(item.record.name, match.domains):
        return False
    namespace = item.object.namespace if item.object is not None else ""
    if match.namespaces and namespace not in match.namespaces:
        return False
    if match.namespace_selector is None or not namespace:
        return True  # as in Kubernetes, a selector does not exclude objects without a namespace
    if item.namespace is None:
        return None
    return selects(match.namespace_selector, dict(item.namespace.labels))


def _is_within(name: DnsName, domains: Sequence[str]) -> bool:
    return any(name.within(domain) for domain in domains)


def selects(requirements: Sequence[SelectorRequirement], labels: Mapping[str, str]) -> bool:
    """Return whether *labels* meet all *requirements* (Kubernetes, "Labels and Selectors")."""
    return all(_is_met(one, labels) for one in requirements)


def _is_met(requirement: SelectorRequirement, labels: Mapping[str, str]) -> bool:
    match requirement.operator:
        case "In":
            return labels.get(requirement.key) in requirement.values
        case "NotIn":
            return labels.get(requirement.key) not in requirement.values
        case "Exists":
            return requirement.key in labels
        case "DoesNotExist":
            return requirement.key not in labels
        case other:
            raise ValueError(other)
