"""Checks of invalid requests, failures, concurrent requests and large requests."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Final

from extdns.model.plural import format_count
from extdns.webhook_check.exchange import BrokenExchangeError, RawAnswer
from extdns.webhook_check.scratch import MEDIA_TYPE_HEADERS, Scratch, ViolationError, describe, has_same_targets
from providers.webhook.wire import ADJUST_PATH, APPLIED, RECORDS_PATH, Changes, encode_changes, encode_endpoints

_CLIENT_ERRORS: Final = range(400, 500)
_TEMPORARY: Final = range(500, 511)
_CONCURRENT: Final = 8
_PER_ADDRESS_BYTE: Final = 250


def check_invalid_json(scratch: Scratch) -> None:
    """Check that a body that is not the JSON of the protocol is answered with 4xx."""
    for path, body in ((RECORDS_PATH, b'{"create": ['), (RECORDS_PATH, b'"text"'), (ADJUST_PATH, b'{"a": ')):
        _require_client_error(scratch.server.send("POST", path, body, MEDIA_TYPE_HEADERS), body)


def check_methods(scratch: Scratch) -> None:
    """Check that methods that the protocol does not have are answered with 4xx."""
    for method, path in (("PUT", RECORDS_PATH), ("GET", ADJUST_PATH)):
        body = b"{}" if method == "PUT" else None
        _require_client_error(scratch.server.send(method, path, body, MEDIA_TYPE_HEADERS), body)


def _require_client_error(answer: RawAnswer, body: bytes | None) -> None:
    if answer.status not in _CLIENT_ERRORS:
        sent = f" to the body {body.decode()}" if body else ""
        raise ViolationError(f"{answer.describe()}{sent}; external-dns answers 400")


def check_partial_failure(scratch: Scratch) -> None:
    """Check that a request with one invalid change fails with 500 to 510, and the valid change can be made afterwards.

    A provider that answers 2xx passes, too, if it then lists both records.
    """
    valid = scratch.build("partial", "A", "192.0.2.1")
    invalid = scratch.build("partial-invalid", "A", "not-an-address")
    answer = scratch.send_changes(Changes(create=(valid, invalid)))
    if answer.is_success:
        scratch.expect(valid, invalid)
        return
    if answer.status not in _TEMPORARY:
        raise ViolationError(f"{answer.describe()}: external-dns ends at a status other than 500 to 510")
    if valid.identity not in scratch.list_own():
        retried = scratch.send_changes(Changes(create=(valid,)))
        if not retried.is_success:
            raise ViolationError(
                f"after a request that failed, {describe(valid)} cannot be created: {retried.describe()}"
            )
    scratch.expect(valid)


def check_connection_reuse(scratch: Scratch) -> None:
    """Check that a connection can be used again after each answer, unless the answer says that it is closed."""
    empty = encode_changes(Changes())
    with scratch.server.connect() as send:
        try:
            for method, path, body in (
                ("POST", RECORDS_PATH, empty),
                ("POST", ADJUST_PATH, encode_endpoints(())),
                ("GET", RECORDS_PATH, None),
            ):
                answer = send(method, path, body, MEDIA_TYPE_HEADERS)
                if answer.status == APPLIED and answer.length not in {"", "0"}:
                    raise ViolationError(f"{answer.request} answered {APPLIED} with a body of {answer.length} bytes")
                if answer.closes:
                    return
        except BrokenExchangeError as exc:
            raise ViolationError(f"a connection that was used before cannot be used again: {exc}") from exc


def check_concurrent_changes(scratch: Scratch) -> None:
    """Check that requests at the same time do not undo each other."""
    records = [scratch.build(f"concurrent-{number}", "A", f"192.0.2.{number}") for number in range(1, _CONCURRENT + 1)]
    with ThreadPoolExecutor(_CONCURRENT) as pool:
        answers = list(pool.map(lambda record: scratch.send_changes(Changes(create=(record,))), records))
    own = scratch.list_own()
    for record, answer in zip(records, answers, strict=True):
        if answer.is_success and record.identity not in own:
            raise ViolationError(
                f"{_CONCURRENT} requests at once: the create of {describe(record)} was confirmed with {answer.status}, "
                f"but GET {RECORDS_PATH} does not list it"
            )
    if failed := [answer for answer in answers if not answer.is_success and answer.status not in _TEMPORARY]:
        raise ViolationError(f"{_CONCURRENT} requests at once: {failed[0].describe()}")


def check_many_records(scratch: Scratch) -> None:
    """Check that many records are adjusted, created, listed and deleted, each in one request and in time."""
    count = scratch.large_count
    desired = (
        scratch.build(f"n{number}.many", "A", f"198.18.{number // _PER_ADDRESS_BYTE}.{number % _PER_ADDRESS_BYTE + 1}")
        for number in range(count)
    )
    records = scratch.adjust(*desired)
    scratch.apply(Changes(create=records))
    own = scratch.list_own()
    missing = [one for one in records if (found := own.get(one.identity)) is None or not has_same_targets(one, found)]
    if missing:
        raise ViolationError(
            f"{format_count(count, 'record')} were created in one request, but GET {RECORDS_PATH} lacks {len(missing)} "
            f"of them, such as {describe(missing[0])}"
        )
    scratch.apply(Changes(delete=scratch.read(*records)))
    scratch.expect_absent(*records)


def check_other_records(scratch: Scratch) -> None:
    """Check that records which the kit did not create are still as the check `records` found them."""
    now = scratch.list_others()
    for identity, before in scratch.others.items():
        found = now.get(identity)
        if found is None:
            raise ViolationError(f"{describe(before)} was deleted, although no request named it")
        if not has_same_targets(before, found) or before.record_ttl != found.record_ttl:
            raise ViolationError(f"{describe(before)} was changed, although no request named it")
    for identity in now.keys() - scratch.others.keys():
        raise ViolationError(f"{describe(now[identity])} was created, although no request named it")
