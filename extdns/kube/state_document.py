"""The document in which state is saved: a ConfigMap with one value for each owner, and the approvals.

A state file holds the same document::

    metadata.annotations["extdns.io/approve"]   what a person approved: CODE or CODE=USER, separated by blanks
    data[key of the owner]                      {"apiVersion", "kind", "owner", "zones": {id: SavedZone}, ...}
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any, Final
from urllib.parse import quote, unquote

import msgspec

from extdns.errors import ExtdnsError, InvalidValueError, sanitize, shorten
from extdns.model.cluster import ClusterIdentity
from extdns.model.saved_state import Approval, Saved, SavedScope, SavedZone

StateDocument = dict[str, Any]

APPROVAL_ANNOTATION: Final = "extdns.io/approve"
MAX_STATE_BYTES: Final = 1024 * 1024
"""Size limit for all values together; the API server rejects larger ConfigMaps."""

_VERSION: Final = "extdns.io/v2"
_KIND: Final = "State"
_MAX_KEY_LENGTH: Final = 253
_UNSAFE: Final = re.compile(rb"[^A-Za-z0-9.-]")
_SAFE: Final = ":@/"
"""Characters of a user name that an annotation keeps; others, such as blanks, are percent-encoded."""
_EMPTY_OWNER_KEY: Final = "_"
"""The key for the owner id "". Escaping never returns it for another id."""


class DamagedStateError(ExtdnsError):
    """The saved state of an owner cannot be used; the message says why, as a clause about it."""


class _SavedStateDocument(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    owner: str
    zones: dict[str, SavedZone]
    all_zones: SavedScope = SavedScope()
    approved: tuple[tuple[str, float], ...] = ()
    approved_by: tuple[tuple[str, str, str], ...] = ()
    cluster: ClusterIdentity = ClusterIdentity()
    other_cluster: str = ""
    api_version: str = ""
    kind: str = ""


_DOCUMENTS: Final = msgspec.json.Decoder(StateDocument)
_SAVED_STATES: Final = msgspec.json.Decoder(_SavedStateDocument)


def build_empty_document(name: str) -> StateDocument:
    """Build a ConfigMap without saved state."""
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {}}


def parse_document(body: bytes) -> StateDocument:
    """Parse a ConfigMap.

    Raises:
        InvalidValueError: *body* is not a ConfigMap.
    """
    allowed = "a ConfigMap as JSON"
    try:
        document = _DOCUMENTS.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as exc:
        raise InvalidValueError(shorten(str(exc)), allowed, "") from exc
    if document.get("kind") != "ConfigMap" or not isinstance(document.get("metadata"), dict):
        raise InvalidValueError(f"kind: {document.get('kind')}", allowed, "")
    return document


def read_saved_state(document: StateDocument, owner: str) -> Saved:
    """Return the saved state of *owner*, an empty one if nothing was saved.

    Raises:
        DamagedStateError: the value is not a saved state, or belongs to another owner.
    """
    text = _get_data(document).get(build_key(owner))
    if text is None:
        return Saved(is_new=True)
    found, state = _decode(text)
    if found != owner:
        raise DamagedStateError(f"it is the state of another owner id, {sanitize(found)}")
    return state


def list_owners(document: StateDocument) -> Iterator[tuple[str, Saved]]:
    """Yield each owner with its saved state, owners sorted by their ConfigMap key. Unreadable values are skipped."""
    for _, text in sorted(_get_data(document).items()):
        with suppress(DamagedStateError):
            yield _decode(text)


def find_unreadable_values(document: StateDocument) -> Iterator[str]:
    """Yield a message `key: problem` for each unreadable value, messages sorted by the ConfigMap key."""
    for key, text in sorted(_get_data(document).items()):
        try:
            _decode(text)
        except DamagedStateError as exc:
            yield f"{key}: {exc}"


def replace_saved_state(document: StateDocument, owner: str, state: Saved) -> StateDocument:
    """Replace the saved state of *owner* in *document*, and remove the approvals that *state* shows as used.

    Raises:
        ExtdnsError: the document would be too large.
    """
    value = _SavedStateDocument(
        owner=owner,
        zones=dict(state.zones),
        all_zones=state.all_zones,
        approved=state.approved,
        approved_by=state.approved_by,
        cluster=state.cluster,
        other_cluster=state.other_cluster,
        api_version=_VERSION,
        kind=_KIND,
    )
    text = msgspec.json.encode(value).decode()
    data = _get_data(document) | {build_key(owner): text}
    size = sum(len(key.encode()) + len(str(value).encode()) for key, value in data.items())
    if size > MAX_STATE_BYTES:
        raise ExtdnsError(f"the state would have {size} bytes; a ConfigMap can hold {MAX_STATE_BYTES}")
    spent = frozenset(_find_used_codes(state))
    return _set_approvals(document | {"data": data}, [one for one in read_approvals(document) if one.code not in spent])


def read_approvals(document: StateDocument) -> tuple[Approval, ...]:
    """Return the approvals in the annotation, each code once. `replace_saved_state` removes those that were used."""
    annotations = document.get("metadata", {}).get("annotations")
    text = annotations.get(APPROVAL_ANNOTATION) if isinstance(annotations, dict) else None
    parts = [part.partition("=") for part in re.split(r"[\s,]+", text)] if isinstance(text, str) else []
    users = {code: unquote(user) for code, _, user in parts if code}
    return tuple(Approval(code=code, claimed_user=user) for code, user in users.items())


def add_approvals(document: StateDocument, approvals: Iterable[Approval]) -> StateDocument:
    """Add *approvals* to *document*. Each replaces an earlier one of the same code."""
    return _set_approvals(document, (*read_approvals(document), *approvals))


def build_key(owner: str) -> str:
    """Return the ConfigMap key for the state of *owner*: the escaped owner id, or its digest if that is too long."""
    key = (
        _UNSAFE.sub(lambda found: b"_%02x" % ord(found[0]), owner.encode("utf-8", "surrogatepass")).decode()
        or _EMPTY_OWNER_KEY
    )
    if key.startswith("."):
        key = f"_2e{key[1:]}"
    if len(key) > _MAX_KEY_LENGTH:
        return f"_{hashlib.sha256(owner.encode('utf-8', 'surrogatepass')).hexdigest()}"
    return key


def _get_data(document: StateDocument) -> dict[str, Any]:
    data = document.get("data")
    return data if isinstance(data, dict) else {}


def _decode(text: object) -> tuple[str, Saved]:
    encoded = text if isinstance(text, str) else ""
    try:
        state = _SAVED_STATES.decode(encoded)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as exc:
        raise DamagedStateError(f"it is cut off or damaged: {sanitize(str(exc))}") from exc
    if (state.api_version, state.kind) != (_VERSION, _KIND):
        found = sanitize(f"{state.api_version} {state.kind}")
        raise DamagedStateError(f"it is of another version, {found}; this version reads {_VERSION} {_KIND}")
    scopes = [state.all_zones, *(scope for zone in state.zones.values() for _, scope in zone.scopes)]
    if any(len(held.records) != len(held.digests) for scope in scopes for held in scope.holds):
        raise DamagedStateError("it is damaged: held deletes without the ids of their records")
    return state.owner, Saved(
        zones=tuple(sorted(state.zones.items(), key=lambda item: item[0])),
        all_zones=state.all_zones,
        approved=state.approved,
        approved_by=state.approved_by,
        cluster=state.cluster,
        other_cluster=state.other_cluster,
    )


def _find_used_codes(state: Saved) -> Iterator[str]:
    """Yield the codes whose deletes are all approved, and the id of the accepted cluster.

    The caller removes the approvals with these codes and this id, so that they approve nothing later.
    """
    yield state.cluster.id
    done = {digest for digest, _ in state.approved}
    scopes = [state.all_zones, *(scope for _, zone in state.zones for _, scope in zone.scopes)]
    for scope in scopes:
        yield from (code for code, digests in scope.shown if done.issuperset(digests))


def _set_approvals(document: StateDocument, approvals: Iterable[Approval]) -> StateDocument:
    metadata = document["metadata"]
    annotations = metadata.get("annotations")
    others = (
        {key: text for key, text in annotations.items() if key != APPROVAL_ANNOTATION}
        if isinstance(annotations, dict)
        else {}
    )
    users = {one.code: one.claimed_user for one in approvals}
    if joined := " ".join(f"{code}={quote(user, safe=_SAFE)}" if user else code for code, user in users.items()):
        others[APPROVAL_ANNOTATION] = joined
    rest = {key: part for key, part in metadata.items() if key != "annotations"}
    return document | {"metadata": rest | ({"annotations": others} if others else {})}
