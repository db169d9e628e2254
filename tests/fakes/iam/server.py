"""The fake IAM and STS, which speak the query protocol of AWS: form parameters in requests, XML in responses."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from urllib.parse import parse_qs
from xml.sax.saxutils import escape

from tests.fakes.iam.policies import AuthorizationRequest, Decision, Document, decide
from tests.fakes.service.answers import Answer, ApiError
from tests.fakes.service.listener import Request
from tests.fakes.service.server import FakeService

_VERSIONS: Final = {
    "AssumeRole": "2011-06-15",
    "GetCallerIdentity": "2011-06-15",
    "SimulatePrincipalPolicy": "2010-05-08",
}
_KEY: Final = re.compile(r"Credential=([^/,\s]+)/")
_SESSION: Final = re.compile(r"arn:([a-z-]+):sts::(\d{12}):assumed-role/([^/]+)/[^/]+")
_ENTITY: Final = re.compile(r"arn:[a-z-]+:iam::\d{12}:(?:user|role|group)/.+")
_ACTION: Final = re.compile(r"[a-z0-9-]+:[A-Za-z0-9]+")
_TYPES: Final = frozenset(
    f"{kind}{many}" for kind in ("string", "numeric", "boolean", "ip", "binary", "date") for many in ("", "List")
)
_SIMULATE: Final = "SimulatePrincipalPolicy"
_PAGE: Final = "second-page"


class Iam(FakeService):
    """A fake IAM and STS on one port.

    Attributes:
        callers: the ARN of each access key's owner: a user, the account itself, or a session of a role.
        policies: the policies of each user and role, by ARN including the path.
        organization: the service control policies of the organization; None without one.
        truncates: whether the first page of a simulation is empty, which the API reference allows.
        log: the calls received and their callers.
    """

    def __init__(self) -> None:
        super().__init__()
        self.callers: dict[str, str] = {}
        self.policies: dict[str, Sequence[Document]] = {}
        self.organization: Sequence[Document] | None = None
        self.truncates = False
        self.log: list[tuple[str, str]] = []

    def _respond(self, request: Request) -> Answer:
        form = {name: values[0] for name, values in parse_qs(request.body.decode(), keep_blank_values=True).items()}
        action = form.get("Action", "")
        found = _KEY.search(request.headers.get("authorization", ""))
        caller = self.callers.get(found[1] if found else "", "")
        self.log.append((action, caller))
        try:
            _admit(form, caller)
            result = self._perform(action, form, caller)
        except ApiError as exc:
            error = f"<Type>Sender</Type><Code>{exc.code}</Code><Message>{escape(exc.message)}</Message>"
            return _build_answer(
                exc.status, f"<ErrorResponse><Error>{error}</Error><RequestId>r</RequestId></ErrorResponse>"
            )
        inner = (
            f"<{action}Result>{result}</{action}Result><ResponseMetadata><RequestId>r</RequestId></ResponseMetadata>"
        )
        return _build_answer(200, f"<{action}Response>{inner}</{action}Response>")

    def _perform(self, action: str, form: Mapping[str, str], caller: str) -> str:
        match action:
            case "GetCallerIdentity":
                return _encode({"Arn": caller, "UserId": "AIDA", "Account": caller.split(":")[4]})
            case "AssumeRole":
                return self._assume_role(form["RoleArn"], form["RoleSessionName"])
            case _:
                return self._simulate(form, caller)

    def _assume_role(self, role: str, session: str) -> str:
        _, partition, _, _, account, path = role.split(":")
        arn = f"arn:{partition}:sts::{account}:assumed-role/{path.rpartition('/')[2]}/{session}"
        key = f"ASIA{len(self.callers):012}"
        self.callers[key] = arn
        until = f"{datetime.now(UTC) + timedelta(hours=1):%Y-%m-%dT%H:%M:%SZ}"
        original = {"AccessKeyId": key, "SecretAccessKey": "s", "SessionToken": "t", "Expiration": until}
        return _encode({"Credentials": original, "AssumedRoleUser": {"Arn": arn, "AssumedRoleId": "AROA:s"}})

    def _simulate(self, form: Mapping[str, str], caller: str) -> str:
        source = form.get("PolicySourceArn", "")
        self._admit(caller, source)
        if not _ENTITY.fullmatch(source):
            raise ApiError(
                400, "InvalidInput", f"Invalid Entity Arn: {source} does not clearly define entity type and name."
            )
        if source not in self.policies:
            raise ApiError(404, "NoSuchEntity", f"{source} does not exist.")
        if self.truncates and form.get("Marker") != _PAGE:
            return _encode({"EvaluationResults": [], "IsTruncated": "true", "Marker": _PAGE})
        context = _parse_context(form)
        results = [self._evaluate(source, action, form, context) for action in _list_members(form, "ActionNames")]
        return _encode({"EvaluationResults": results, "IsTruncated": "false"})

    def _admit(self, caller: str, source: str) -> None:
        own = next((documents for arn, documents in self.policies.items() if _is_of(caller, arn)), ())
        if decide(own, AuthorizationRequest(action=f"iam:{_SIMULATE}", resource=source))[0] is not Decision.ALLOWED:
            words = f"User: {caller} is not authorized to perform: iam:{_SIMULATE} on resource: {source}"
            raise ApiError(403, "AccessDenied", f"{words} because no identity-based policy allows it")

    def _evaluate(
        self, source: str, action: str, form: Mapping[str, str], context: Mapping[str, Sequence[str]]
    ) -> dict[str, Any]:
        """Return the result for one *action*: the strictest decision of all resources.

        See EvaluationResult in the API reference.
        """
        if not _ACTION.fullmatch(action):
            raise ApiError(400, "InvalidInput", f"Invalid action: {action}")
        results = []
        above = []
        for resource in _list_members(form, "ResourceArns") or ["*"]:
            query = AuthorizationRequest(action=action, resource=resource, context=context)
            decision, missing = decide(self.policies[source], query)
            above.append(decide(self.organization or [], query)[0] if self.organization is not None else decision)
            results.append((resource, max(decision, above[-1], key=list(Decision).index), missing))
        found = [
            {"EvalResourceName": resource, "EvalResourceDecision": decision, "MissingContextValues": missing}
            for resource, decision, missing in results
        ]
        strictest = max((decision for _, decision, _ in results), key=list(Decision).index)
        result: dict[str, Any] = {"EvalActionName": action, "EvalDecision": strictest, "ResourceSpecificResults": found}
        if self.organization is not None:
            allowed = str(set(above) == {Decision.ALLOWED}).lower()
            result["OrganizationsDecisionDetail"] = {"AllowedByOrganizations": allowed}
        return result


def _admit(form: Mapping[str, str], caller: str) -> None:
    action, version = form.get("Action", ""), form.get("Version", "")
    if _VERSIONS.get(action) != version:
        raise ApiError(400, "InvalidAction", f"Could not find operation {action} for version {version}")
    if not caller:
        raise ApiError(403, "InvalidClientTokenId", "The security token included in the request is invalid.")


def _is_of(caller: str, entity: str) -> bool:
    """Return whether *caller* is the user *entity* or a session of the role *entity*.

    The ARN of a session lacks the path of the role.
    """
    if caller == entity:
        return True
    session = _SESSION.fullmatch(caller)
    if session is None:
        return False
    return entity.startswith(f"arn:{session[1]}:iam::{session[2]}:role/") and entity.endswith(f"/{session[3]}")


def _list_members(form: Mapping[str, str], name: str) -> list[str]:
    found: list[str] = []
    while f"{name}.member.{len(found) + 1}" in form:
        found.append(form[f"{name}.member.{len(found) + 1}"])
    return found


def _parse_context(form: Mapping[str, str]) -> dict[str, list[str]]:
    found = {}
    number = 1
    while (key := form.get(f"ContextEntries.member.{number}.ContextKeyName")) is not None:
        kind = form.get(f"ContextEntries.member.{number}.ContextKeyType", "")
        values = _list_members(form, f"ContextEntries.member.{number}.ContextKeyValues")
        if kind not in _TYPES or (len(values) > 1 and not kind.endswith("List")):
            raise ApiError(400, "InvalidInput", f"Invalid type of context key {key}: {kind}")
        found[key] = values
        number += 1
    return found


def _encode(value: Mapping[str, Any] | Sequence[Any] | str) -> str:
    if isinstance(value, str):
        return escape(value)
    if isinstance(value, Mapping):
        return "".join(f"<{name}>{_encode(inner)}</{name}>" for name, inner in value.items())
    return "".join(f"<member>{_encode(inner)}</member>" for inner in value)


def _build_answer(status: int, text: str) -> Answer:
    return Answer(status=status, body=text.encode(), headers={"Content-Type": "text/xml"})
