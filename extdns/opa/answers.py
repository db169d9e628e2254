"""Build queries to an Open Policy Agent, and read its answers; pure (docs/design/opa.md).

One query is about many inputs, one for each record: the rules, such as `data.extdns.deny` and `data.extdns.warn`, are
evaluated once for each of them, as `input`. So a policy is written for one record, and needs no loop.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from http import HTTPStatus
from typing import Final

import msgspec

from extdns.errors import InvalidValueError, sanitize
from extdns.model.change import RuleAction, Violation
from extdns.model.value import Value
from extdns.rules.evaluation import Evaluation
from extdns.rules.policy_server import PolicyProblem

MAX_MESSAGES: Final = 20
"""How many messages count for one input and action; the others are not shown."""
_MAX_MESSAGE_LENGTH: Final = 400
_MAX_DOCUMENT_BYTES: Final = 100_000
"""The longest result of a rule for one record. A longer one counts as a problem of the policies."""
_PATH: Final = re.compile(r"[A-Za-z0-9_.\-]+(/[A-Za-z0-9_.\-]+)*")
_RULE: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.\-]{0,62}")
_RULE_NAME: Final = re.compile(r"(deny|violation|warn)(_\w+)?")
_ALLOW: Final = "allow"
_ALLOWED_RESULT: Final = 'a set of texts, or of objects with the text "msg"; a rule named allow is true or false'
_TYPE_NAMES: Final = {
    b"{": "an object",
    b"[": "a set with an entry of another form",
    b'"': "a text",
    b"t": "a boolean",
    b"f": "a boolean",
    b"n": "null",
}
"""What a result is, by its first byte in JSON; any other one begins a number."""


class OpaRules(Value, frozen=True, kw_only=True):
    """The rules that are queried, as `extdns/deny`.

    Attributes:
        path: the rule of `--opa-path`, which must be defined.
        deny: that rule, and the others of its package that deny records.
        warn: those of the package that warn.
    """

    path: str
    deny: tuple[str, ...]
    warn: tuple[str, ...]

    @property
    def package(self) -> tuple[str, ...]:
        """The path of the package in `data`, such as `("extdns",)`."""
        return tuple(self.path.split("/")[:-1])


def parse_path(path: str) -> OpaRules:
    """Parse `--opa-path`.

    Raises:
        InvalidValueError: *path* is not a package and a rule.
    """
    package, separator, _ = path.rpartition("/")
    if not separator or not _PATH.fullmatch(path):
        raise InvalidValueError(path, "a package and a rule, as extdns/deny", "")
    return OpaRules(path=path, deny=(path,), warn=(f"{package}/warn",))


def find_rules(path: str, names: Iterable[str]) -> OpaRules:
    """Return the rules to query if the package of *path* has rules with these *names*.

    As conftest, they are all named `deny`, `violation` or `warn`, or begin with one of these and `_`.
    """
    package = path.rpartition("/")[0]
    found = {f"{package}/{name}" for name in names if _RULE_NAME.fullmatch(name)}
    warn = {one for one in found if one.startswith(f"{package}/warn")}
    return OpaRules(path=path, deny=(path, *sorted(found - warn - {path})), warn=tuple(sorted(warn)))


def build_query(rules: OpaRules) -> str:
    """Build the query in Rego. Its variables `deny` and `warn` are lists with one item for each input.

    Each item has a list for each rule, with its result for that input; the list is empty if the rule is not defined.
    It has no `some … in`, which OPA before 1.0 does not parse.
    """

    def evaluate(paths: Iterable[str]) -> str:
        results = [f"[x | x := {build_reference(path.split('/'))} with input as one]" for path in paths]
        return f"[found | one := input.inputs[_]; found := [{', '.join(results)}]]"

    return f"deny = {evaluate(rules.deny)}; warn = {evaluate(rules.warn)}"


def build_reference(parts: Iterable[str]) -> str:
    """Build the reference to what is at *parts* in `data`, as `data["extdns"]["deny"]`."""
    return "data" + "".join(f"[{json.dumps(part)}]" for part in parts)


class RecordAnswer(Value, frozen=True, kw_only=True):
    """The evaluation of one input.

    Attributes:
        problem: what is wrong with a policy, if that makes the answer unavailable; else None.
    """

    evaluation: Evaluation
    problem: PolicyProblem | None = None


class _Bindings(msgspec.Struct):
    deny: list[list[list[msgspec.Raw]]]
    warn: list[list[list[msgspec.Raw]]]


class _QueryResult(msgspec.Struct):
    result: list[_Bindings]


class _Message(msgspec.Struct):
    msg: str
    rule: str = ""


class _Location(msgspec.Struct):
    file: str = ""
    row: int = 0


class _EvaluationError(msgspec.Struct):
    message: str = ""
    location: _Location | None = None


class _ErrorBody(msgspec.Struct):
    code: str
    message: str = ""
    errors: list[_EvaluationError] = []


def read_answers(body: bytes, count: int, rules: OpaRules) -> tuple[RecordAnswer, ...]:
    """Read the answer to `build_query` about *count* inputs.

    Raises:
        ValueError: *body* is not such an answer.
    """
    try:
        results = msgspec.json.decode(body, type=_QueryResult).result
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as exc:
        raise ValueError("the answer is not that of an Open Policy Agent") from exc
    expected = [[len(rules.deny)] * count, [len(rules.warn)] * count]
    if [[[len(item) for item in part] for part in (one.deny, one.warn)] for one in results] != [expected]:
        raise ValueError("the number of results in the answer is not that of the records and rules in the query")
    return tuple(_read_answer(deny, warn, rules) for deny, warn in zip(results[0].deny, results[0].warn, strict=True))


def find_policy_problems(status: int, body: bytes) -> tuple[PolicyProblem, ...]:
    """Return what failed in policies if *body* is the answer to a query whose evaluation failed; else ()."""
    found = _parse_error(body)
    if status != HTTPStatus.INTERNAL_SERVER_ERROR or found is None or found.code != "internal_error":
        return ()
    return tuple(
        PolicyProblem(
            message=_join_lines(one.message),
            policy=sanitize(one.location.file, _MAX_MESSAGE_LENGTH) if one.location else "",
        )
        for one in found.errors[:MAX_MESSAGES]
    )


def find_error_text(body: bytes) -> str:
    """Return OPA's own text on one line if *body* is an error that it answered; else ""."""
    found = _parse_error(body)
    if found is None:
        return ""
    details = "; ".join(one.message for one in found.errors)
    return _join_lines(": ".join(filter(None, (found.message, details))))


def _parse_error(body: bytes) -> _ErrorBody | None:
    try:
        return msgspec.json.decode(body, type=_ErrorBody)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _join_lines(text: str) -> str:
    """Return the *text* of OPA, which lists values line by line, for a message."""
    return sanitize(" ".join(text.split()), _MAX_MESSAGE_LENGTH)


def _read_answer(
    deny: Sequence[Sequence[msgspec.Raw]], warn: Sequence[Sequence[msgspec.Raw]], rules: OpaRules
) -> RecordAnswer:
    if not deny[0]:
        return _fail(f"no loaded policy defines {rules.path}")
    violations: set[Violation] = set()
    try:
        for action, paths, results in ((RuleAction.DENY, rules.deny, deny), (RuleAction.WARN, rules.warn, warn)):
            for path, result in zip(paths, results, strict=True):
                # one that is neither a set nor a list is a helper of the policies, as for conftest
                if result and (path == rules.path or bytes(memoryview(result[0])[:1]) == b"["):
                    violations.update(_read_violations(result[0], path, action))
    except ValueError as exc:
        return _fail(str(exc))
    return RecordAnswer(
        evaluation=Evaluation(
            violations=tuple(sorted(violations)), matched=tuple(sorted({one.rule for one in violations}))
        )
    )


def _fail(message: str) -> RecordAnswer:
    return RecordAnswer(evaluation=Evaluation(unavailable=message), problem=PolicyProblem(message=message))


def _read_violations(raw: msgspec.Raw, path: str, action: RuleAction) -> Iterable[Violation]:
    if len(memoryview(raw)) > _MAX_DOCUMENT_BYTES:
        raise ValueError(f"the result of {path} for one record is longer than {_MAX_DOCUMENT_BYTES} bytes")
    package, _, name = path.rpartition("/")
    allows = {b"true": True, b"false": False}.get(bytes(memoryview(raw))) if name == _ALLOW else None
    if allows is not None:
        found: list[str | _Message] = [] if allows else [f"{path} is false"]
    else:
        try:
            found = msgspec.json.decode(raw, type=list[str | _Message])
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise ValueError(f"the result of {path} is {_describe_type(raw)}; allowed: {_ALLOWED_RESULT}") from None
    return [_build_violation(one, action, package.replace("/", "."), name) for one in found[:MAX_MESSAGES]]


def _describe_type(raw: msgspec.Raw) -> str:
    """Return the type of a result, not its value, which may differ for each record."""
    first = bytes(memoryview(raw)[:1])
    return _TYPE_NAMES.get(first, "a number")


def _build_violation(one: str | _Message, action: RuleAction, package: str, name: str) -> Violation:
    """Build the violation that a rule states in *one*. The rule is named by it, or by what follows `deny_`."""
    text, rule = (one, "") if isinstance(one, str) else (one.msg, one.rule)
    rule = rule or name.partition("_")[2]
    return Violation(
        rule=f"{package}.{rule}" if _RULE.fullmatch(rule) else package,
        action=action,
        message=sanitize(text, _MAX_MESSAGE_LENGTH),
    )
