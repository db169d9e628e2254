"""The `ingress` source: networking.k8s.io/v1 Ingresses (spec sources 4)."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from extdns.errors import UsageError, shortened, shown
from extdns.model.claim import Claim, Filtered
from extdns.model.objects import INGRESS, Ingress, IngressSpec, KubernetesObject, ref_of
from extdns.model.reason import Reason
from extdns.model.selector import is_label_value
from extdns.ports import View
from extdns.sources.annotations import Annotations
from extdns.sources.draft import Draft
from extdns.sources.selection import Selection
from extdns.sources.targets import Answer, LeftOut, Missing, annotated, balanced
from extdns.sources.terms import Terms

_NAME: Final = "ingress"
_HOSTNAME: Final = "hostname"
_HOSTNAME_SOURCE: Final = "ingress-hostname-source"
_CLASS: Final = "kubernetes.io/ingress.class"


class _Origin(StrEnum):
    """Where a host is written. The value is what `ingress-hostname-source` says to take only such hosts."""

    DEFINED = "defined-hosts-only"
    ANNOTATED = "annotation-only"


@dataclass(frozen=True, slots=True, kw_only=True)
class IngressSettings:
    """Settings of the `ingress` source, named as the flags are.

    Attributes:
        ingress_class: the classes looked at, () for all.

    Raises:
        UsageError: a class that cannot be one, or classes beside an annotation filter on the same annotation.
    """

    selection: Selection = Selection()  # noqa: RUF009 - frozen
    ingress_class: tuple[str, ...] = ()
    ignore_ingress_rules_spec: bool = False
    ignore_ingress_tls_spec: bool = False

    def __post_init__(self) -> None:
        wrong = next((name for name in self.ingress_class if not is_label_value(name)), None)
        if wrong is not None:
            allowed = "at most 63 letters, digits, '-', '_' and '.', a letter or digit at both ends"
            raise UsageError(f"--ingress-class={shown(wrong)} is not a class\n  allowed: {allowed}")
        if self.ingress_class and self.selection.annotation_filter.mentions(_CLASS):
            raise UsageError(f"--ingress-class and an --annotation-filter on {_CLASS} exclude each other")


@dataclass(frozen=True, slots=True, kw_only=True)
class IngressSource:
    """Names that Ingresses ask for by rule, TLS section or annotation."""

    name = _NAME
    kind = INGRESS

    settings: IngressSettings

    def claims(self, obj: KubernetesObject, view: View) -> tuple[Claim, ...]:  # noqa: ARG002 - it says all itself
        """What the Ingress *obj* asks for, in the order of `Draft.claims`.

        Raises:
            TemplateError: a template fails on it.
            TypeError: *obj* is no Ingress.
        """
        if not isinstance(obj, Ingress):
            raise TypeError(f"the {_NAME} source reads Ingresses only")
        ref, selection = ref_of(INGRESS, obj), self.settings.selection
        notes = Annotations.of(obj.metadata.annotations, selection.prefixes)
        by = selection.left_out_by(ref, obj.metadata, notes) or self._class_left_out_by(obj)
        if by:
            return (Filtered(ref=ref, by=by),)
        draft = Draft(_NAME, ref, Terms.of(notes))
        targets = annotated(notes) or balanced(obj.status)
        for text, field, origin, ignored_by in self._hosts(obj.spec, notes):
            draft.ask(text, field, _excluded(notes, origin) or (LeftOut(by=ignored_by) if ignored_by else targets))
        for text, field in selection.templates.hosts(_NAME, INGRESS, obj, named=draft.wants):
            draft.ask(text, field, targets)
        return draft.claims()

    def _class_left_out_by(self, ingress: Ingress) -> str:
        name = ingress.spec.ingress_class_name or (ingress.metadata.annotations or {}).get(_CLASS)
        return "--ingress-class" if self.settings.ingress_class and name not in self.settings.ingress_class else ""

    def _hosts(self, spec: IngressSpec, notes: Annotations) -> Iterator[tuple[str, str, _Origin, str]]:
        """Every host as it is written, where, and the flag that makes nothing of it, "" if none does."""
        by = "--ignore-ingress-rules-spec" if self.settings.ignore_ingress_rules_spec else ""
        for at, rule in enumerate(spec.rules or ()):
            if rule.host:
                yield rule.host, sys.intern(f"spec.rules[{at}].host"), _Origin.DEFINED, by
        by = "--ignore-ingress-tls-spec" if self.settings.ignore_ingress_tls_spec else ""
        for at, tls in enumerate(spec.tls or ()):
            for item, host in enumerate(tls.hosts or ()):
                if host:
                    yield host, sys.intern(f"spec.tls[{at}].hosts[{item}]"), _Origin.DEFINED, by
        by = "--ignore-hostname-annotation" if self.settings.selection.ignore_hostname_annotation else ""
        for host in notes.listed(_HOSTNAME):
            yield host, notes.field(_HOSTNAME), _Origin.ANNOTATED, by


def _excluded(notes: Annotations, origin: _Origin) -> Answer | None:
    """What `ingress-hostname-source` makes of hosts from *origin*, None if it takes them."""
    given = notes.get(_HOSTNAME_SOURCE)
    if given is None or given.lower() == origin:
        return None
    field, allowed = notes.field(_HOSTNAME_SOURCE), tuple(_Origin)
    if given.lower() in allowed:
        return LeftOut(by=field)
    detail = f"{field}: {shortened(given)!r} is no source of hosts; allowed: {' or '.join(allowed)}"
    return Missing(reason=Reason.INVALID_ANNOTATION, detail=detail)
