"""Read tests of rules, written in YAML (docs/reference/dnspolicy.md, "Tests of rules")."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from extdns.cel.document_reader import DocumentReader
from extdns.cel.policy_document import RECORD_TYPE
from extdns.errors import describe_type
from extdns.model.change import RuleAction, Violation
from extdns.model.dns_name import DnsName
from extdns.model.record import DesiredRecord, OwnedRecord, Record
from extdns.model.value import StringMap, Value
from extdns.model.zone import Zone
from extdns.rules.rule_input import Operation, RuleInput, RuleNamespace, RuleObject

MAX_TESTS: Final = 10_000
_MAX_TEXT: Final = 4096
_MAX_TTL: Final = 2**31 - 1
_FILE_FIELDS: Final = ("policies", "tests")
_TEST_FIELDS: Final = ("name", "operation", "source", "stated", "record", "object", "namespace", "current", "expect")
_RECORD_FIELDS: Final = ("name", "zone", "private", "type", "ttl", "targets", "setIdentifier", "properties")
_OBJECT_FIELDS: Final = ("apiVersion", "kind", "namespace", "name", "labels", "annotations")
_CURRENT_FIELDS: Final = ("record", "owner", "ours", "resource")
_EXPECTATION_FIELDS: Final = ("rule", "action", "message", "reason")


class ExpectedViolation(Value, frozen=True, kw_only=True):
    """A violation that a test expects; a field that is "" or None may have any value."""

    rule: str
    action: RuleAction | None = None
    message: str = ""
    reason: str = ""

    def is_met_by(self, found: Violation) -> bool:
        """Return whether the violation *found* has every field that this expectation states."""
        return (
            found.rule == self.rule
            and self.action in {None, found.action}
            and self.message in {"", found.message}
            and self.reason in {"", found.reason}
        )

    def __str__(self) -> str:
        """Return the expected violation as one line, in the form of `describe_violation`."""
        return _join(self.rule, self.action.value if self.action else "", self.reason, self.message)


class PolicyTest(Value, frozen=True, kw_only=True):
    """One test: an input, and the violations that it is expected to have."""

    name: str
    item: RuleInput
    expected: tuple[ExpectedViolation, ...]


class PolicyTestFile(Value, frozen=True, kw_only=True):
    """The content of a file of tests.

    Attributes:
        policies: paths of files with DNSPolicies, relative to the file.
    """

    policies: tuple[str, ...]
    tests: tuple[PolicyTest, ...]
    problems: tuple[str, ...]


def describe_violation(violation: Violation) -> str:
    """Return *violation* as one line, as `own-domain deny NameNotAllowed: message`."""
    return _join(violation.rule, violation.action.value, violation.reason, violation.message)


def _join(rule: str, action: str, reason: str, message: str) -> str:
    head = " ".join(part for part in (rule, action, reason) if part)
    return f"{head}: {message}" if message else head


def read_test_file(document: object) -> PolicyTestFile:
    """Read the *document* of a file of tests. Never raises: it may be any value of YAML."""
    reader = DocumentReader()
    if not isinstance(document, dict):
        reader.report("", f"the file is {describe_type(document)}; allowed: a mapping with policies and tests")
        return PolicyTestFile(policies=(), tests=(), problems=tuple(reader.problems))
    fields = reader.read_mapping(document, "", _FILE_FIELDS)
    tests = _TestReader(reader)
    policies = reader.read_list(fields.get("policies"), "policies", tests.read_text)
    found = reader.read_list(fields.get("tests"), "tests", tests.read_test, MAX_TESTS)
    for name in ("policies", "tests"):
        if not fields.get(name):
            reader.report(name, "is empty; allowed: at least one item")
    return PolicyTestFile(policies=policies, tests=found, problems=tuple(reader.problems))


class _TestReader:
    """Reads the tests of a file, one at a time, and reports mistakes to a `DocumentReader`."""

    def __init__(self, reader: DocumentReader) -> None:
        self._reader = reader

    def read_text(self, value: object, path: str) -> str:
        return self._reader.read_text(value, path, _MAX_TEXT)

    def read_test(self, value: object, path: str) -> PolicyTest:
        if value is None:
            self._reader.report(path, "is empty; allowed: a mapping with name, record and expect")
        fields = self._reader.read_mapping(value, path, _TEST_FIELDS)
        operation = self._reader.read_choice(fields.get("operation"), f"{path}.operation", tuple(Operation), "CREATE")
        found = self._read_object(fields.get("object"), f"{path}.object")
        record, zone = self._read_record(fields.get("record"), f"{path}.record")
        expected = self._reader.read_list(fields.get("expect"), f"{path}.expect", self._read_expectation)
        if fields.get("expect") is None:
            self._reader.report(f"{path}.expect", "is missing; allowed: a list of violations, [] for none")
        return PolicyTest(
            name=self.read_text(fields.get("name"), f"{path}.name") or path,
            item=RuleInput(
                operation=Operation(operation),
                record=record,
                zone=zone,
                source=self.read_text(fields.get("source"), f"{path}.source"),
                stated=self._read_flag(fields.get("stated"), f"{path}.stated", default=False),
                object=found,
                namespace=self._read_namespace(fields.get("namespace"), f"{path}.namespace", found),
                current=self._read_current(fields.get("current"), f"{path}.current"),
            ),
            expected=expected,
        )

    def _read_expectation(self, value: object, path: str) -> ExpectedViolation:
        if isinstance(value, str):
            return ExpectedViolation(rule=value)
        fields = self._reader.read_mapping(value, path, _EXPECTATION_FIELDS)
        if not fields.get("rule"):
            self._reader.report(f"{path}.rule", "is empty; allowed: the name of a DNSPolicy")
        action = self._reader.read_choice(fields.get("action"), f"{path}.action", tuple(RuleAction), "")
        return ExpectedViolation(
            rule=self.read_text(fields.get("rule"), f"{path}.rule"),
            action=RuleAction(action) if action else None,
            message=self.read_text(fields.get("message"), f"{path}.message"),
            reason=self.read_text(fields.get("reason"), f"{path}.reason"),
        )

    def _read_record(self, value: object, path: str) -> tuple[DesiredRecord, Zone]:
        if value is None:
            self._reader.report(path, "is missing; allowed: a mapping with name and type")
        fields = self._reader.read_mapping(value, path, _RECORD_FIELDS)
        name = DnsName(self._reader.read_name(fields.get("name"), f"{path}.name")) if value is not None else DnsName()
        zone = fields.get("zone")
        zone_name = DnsName(self._reader.read_name(zone, f"{path}.zone")) if zone is not None else DnsName(name.parent)
        found = fields.get("type")
        record_type = (
            "A" if found is None else self._reader.read_matching(found, f"{path}.type", RECORD_TYPE, "a record type")
        )
        record = DesiredRecord(
            name=name,
            type=record_type,
            targets=self._reader.read_list(fields.get("targets"), f"{path}.targets", self.read_text),
            ttl_s=self._read_ttl(fields.get("ttl"), f"{path}.ttl"),
            set_identifier=self.read_text(fields.get("setIdentifier"), f"{path}.setIdentifier"),
            properties=self._read_texts(fields.get("properties"), f"{path}.properties"),
        )
        is_private = self._read_flag(fields.get("private"), f"{path}.private", default=False)
        return record, Zone(name=zone_name, id=zone_name, private=is_private)

    def _read_object(self, value: object, path: str) -> RuleObject | None:
        if value is None:
            return None
        fields = self._reader.read_mapping(value, path, _OBJECT_FIELDS)

        def read(name: str) -> str:
            return self.read_text(fields.get(name), f"{path}.{name}")

        return RuleObject(
            api_version=read("apiVersion"),
            kind=read("kind"),
            namespace=read("namespace"),
            name=read("name"),
            labels=self._read_texts(fields.get("labels"), f"{path}.labels"),
            annotations=self._read_texts(fields.get("annotations"), f"{path}.annotations"),
        )

    def _read_namespace(self, value: object, path: str, found: RuleObject | None) -> RuleNamespace | None:
        """Read the labels and annotations of the namespace of the object *found*; None if it has none."""
        fields = self._reader.read_mapping(value, path, ("labels", "annotations"))
        if found is None or not found.namespace:
            return None
        return RuleNamespace(
            name=found.namespace,
            labels=self._read_texts(fields.get("labels"), f"{path}.labels"),
            annotations=self._read_texts(fields.get("annotations"), f"{path}.annotations"),
        )

    def _read_current(self, value: object, path: str) -> OwnedRecord | None:
        if value is None:
            return None
        fields = self._reader.read_mapping(value, path, _CURRENT_FIELDS)
        record, _ = self._read_record(fields.get("record"), f"{path}.record")
        resource = self.read_text(fields.get("resource"), f"{path}.resource")
        return OwnedRecord(
            record=Record(
                name=record.name,
                type=record.type,
                targets=record.targets,
                ttl_s=record.ttl_s,
                set_identifier=record.set_identifier,
                properties=record.properties,
            ),
            owner=self.read_text(fields.get("owner"), f"{path}.owner") or None,
            is_ours=self._read_flag(fields.get("ours"), f"{path}.ours", default=True),
            labels=StringMap.from_items({"resource": resource} if resource else {}),
        )

    def _read_texts(self, value: object, path: str) -> StringMap:
        if value is None:
            return StringMap()
        if not isinstance(value, dict):
            self._reader.report_type(path, value, "a mapping of strings")
            return StringMap()
        found: Mapping[str, object] = value
        return StringMap.from_items({str(key): self.read_text(item, f'{path}["{key}"]') for key, item in found.items()})

    def _read_ttl(self, value: object, path: str) -> int:
        if value is None:
            return 0
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _MAX_TTL:
            self._reader.report_type(path, value, f"seconds, from 0 to {_MAX_TTL}")
            return 0
        return value

    def _read_flag(self, value: object, path: str, *, default: bool) -> bool:
        if value is None:
            return default
        if not isinstance(value, bool):
            self._reader.report_type(path, value, "true or false")
            return default
        return value
