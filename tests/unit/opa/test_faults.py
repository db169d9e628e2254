"""Servers that hang, or answer with something else than an Open Policy Agent does."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from extdns.opa.answers import parse_path
from extdns.opa.connection import OpaConnection, OpaSettings
from extdns.opa.server import OpaServer
from extdns.rules.evaluation import Evaluation
from tests.unit.opa.rule_inputs import build_input

Respond = Callable[[socket.socket, threading.Event], None]


def answer(body: bytes, status: str = "200 OK", length: int | None = None) -> Respond:
    """Return a function that answers each request with *body*, and states *length*."""

    def respond(peer: socket.socket, _: threading.Event) -> None:
        size = len(body) if length is None else length
        peer.sendall(f"HTTP/1.1 {status}\r\nContent-Length: {size}\r\n\r\n".encode() + body)

    return respond


def hang(_: socket.socket, closed: threading.Event) -> None:
    """Answer nothing."""
    closed.wait()


def drop(peer: socket.socket, _: threading.Event) -> None:
    """Answer nothing until the client gives up."""
    peer.recv(1)


def drip(head: bytes) -> Respond:
    """Return a function that answers *head*, and then a byte at a time, forever."""

    def respond(peer: socket.socket, closed: threading.Event) -> None:
        peer.sendall(head)
        while not closed.wait(0.01):
            peer.sendall(b" ")

    return respond


def read_request(peer: socket.socket) -> bool:
    """Read one request; return whether there was one."""
    with peer.makefile("rb") as file:
        lines = list(iter(file.readline, b"\r\n")) if file.peek(1) else []
        for line in lines:
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                file.read(int(value))
        return bool(lines)


@contextmanager
def serve(respond: Respond, timeout_s: float = 20.0) -> Iterator[tuple[OpaServer, str]]:
    """Run a server. Yield a client that waits for an answer for *timeout_s*, and the address of the server."""
    closed = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def run() -> None:
            while not closed.is_set():
                try:
                    peer, _ = listener.accept()
                except OSError:
                    return
                with peer:
                    try:
                        if read_request(peer):
                            respond(peer, closed)
                    except OSError:
                        continue

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        client = OpaServer(OpaConnection(OpaSettings(url=url, timeout_s=timeout_s)), parse_path("extdns/deny"))
        yield client, url
        client.close()
        closed.set()
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()


def bindings(deny: object, warn: object) -> bytes:
    return json.dumps({"result": [{"deny": deny, "warn": warn}]}).encode()


NOT_OPA = "URL: the answer is not that of an Open Policy Agent"
"""In problems, `URL` stands for the address of the server."""
SLOW = [
    pytest.param(hang, id="hangs"),
    pytest.param(drip(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"), id="drips-its-body"),
    pytest.param(drip(b"HTTP/1.1 200 OK\r\nX:"), id="drips-its-head"),
]
FAULTS = [
    pytest.param(answer(b"<html>502</html>"), NOT_OPA, id="html"),
    pytest.param(answer(b"<html>", "500 Error"), "POST URL/v1/query: status 500 Error", id="status-500"),
    pytest.param(
        answer(
            b'{"code": "x", "message": "cannot\\n parse", "errors": [{"message": "no"}, {"message": "in"}]}', "400 No"
        ),
        "POST URL/v1/query: status 400 No: cannot parse: no; in",
        id="opa-error",
    ),
    pytest.param(answer(b"", "302 Found"), "POST URL/v1/query: status 302 Found", id="redirect"),
    pytest.param(answer(b"[" * 4_000_000), NOT_OPA, id="nested-deeply"),
    pytest.param(answer(b"{}", length=9), "POST URL/v1/query: IncompleteRead(0 bytes read, 7 more expected)", id="cut"),
    pytest.param(answer(b"\xff\xfe"), NOT_OPA, id="no-text"),
    pytest.param(answer(b"{}"), NOT_OPA, id="without-result"),
    pytest.param(
        answer(b'{"result": []}'),
        "URL: the number of results in the answer is not that of the records and rules in the query",
        id="no-bindings",
    ),
    pytest.param(
        answer(bindings([[[[]]]], [[[]], [[]]])),
        "URL: the number of results in the answer is not that of the records and rules in the query",
        id="too-few",
    ),
    pytest.param(answer(bindings({}, {})), NOT_OPA, id="other-types"),
    pytest.param(
        answer(b'{"code": "internal_error", "errors": 7}', "500 Error"),
        "POST URL/v1/query: status 500 Error",
        id="error",
    ),
]


@pytest.mark.parametrize(("respond", "problem"), FAULTS)
def test_without_a_valid_answer_of_the_policy_server_the_evaluation_of_every_record_is_unavailable(
    respond: Respond, problem: str
) -> None:
    with serve(respond) as (server, url):
        answers = server.evaluate([build_input("a"), build_input("b")])
    assert answers.problem == problem.replace("URL", url)
    assert answers.evaluations == (Evaluation(unavailable=answers.problem),) * 2


@pytest.mark.parametrize(
    ("result", "form"),
    [
        pytest.param(True, "a boolean", id="true"),
        pytest.param(False, "a boolean", id="false"),
        pytest.param({"msg": "no"}, "an object", id="object"),
        pytest.param("no", "a text", id="text"),
        pytest.param(None, "null", id="null"),
        pytest.param(7, "a number", id="number"),
        pytest.param([{"message": "no"}], "a set with an entry of another form", id="entry"),
    ],
)
def test_a_result_in_another_form_is_reported_with_its_form_and_what_is_allowed(result: object, form: str) -> None:
    with serve(answer(bindings([[[result]]], [[[]]]))) as (server, _):
        (found,) = server.evaluate([build_input("a")]).evaluations
    assert found.unavailable == (
        f'the result of extdns/deny is {form}; allowed: a set of texts, or of objects with the text "msg"; '
        "a rule named allow is true or false"
    )


def test_a_failed_evaluation_is_reported_on_one_line() -> None:
    message = 'rule data.extdns.x produced conflicting values:\n  "a" at x.rego:7\n  "b" at x.rego:8'
    body = json.dumps({"code": "internal_error", "errors": [{"message": message}]}).encode()
    with serve(answer(body, "500 Error")) as (server, _):
        (found,) = server.evaluate([build_input("a")]).evaluations
    assert found.unavailable == ('rule data.extdns.x produced conflicting values: "a" at x.rego:7 "b" at x.rego:8')


@pytest.mark.parametrize(("respond", "problem"), FAULTS)
def test_without_a_valid_answer_of_the_policy_server_its_revision_is_unknown(respond: Respond, problem: str) -> None:
    del problem
    with serve(respond) as (server, url):
        version = server.read_version()
    assert url in version.problem
    assert version.revision == ""


@pytest.mark.parametrize("respond", SLOW)
def test_without_a_complete_answer_in_time_evaluations_are_unavailable_and_the_revision_is_unknown(
    respond: Respond,
) -> None:
    with serve(respond, timeout_s=0.3) as (server, url):
        answers = server.evaluate([build_input("a"), build_input("b")])
        version = server.read_version()
    assert answers.problem == f"POST {url}/v1/query: no answer in time"
    assert answers.evaluations == (Evaluation(unavailable=answers.problem),) * 2
    assert version.problem == f"GET {url}/v1/policies: no answer in time"
    assert version.revision == ""


def test_a_policy_server_that_fails_every_evaluation_gets_at_most_24_requests() -> None:
    requests = []
    body = b'{"code": "internal_error", "errors": [{"message": "no", "location": {"file": "a/b/c"}}]}'

    def respond(peer: socket.socket, closed: threading.Event) -> None:
        requests.append(peer)
        answer(body, "500 Error")(peer, closed)

    with serve(respond) as (server, _):
        answers = server.evaluate([build_input(f"web{number}") for number in range(500)])
    assert answers.evaluations == (Evaluation(unavailable="no"),) * 500
    assert {one.policy for one in answers.policy_problems} == {"a/b/c"}
    assert len(requests) <= 24
    assert 0 < len(answers.failed) <= 24


def test_only_the_record_whose_answer_is_too_long_gets_none() -> None:
    too_long, allowed = answer(b"[" * 5_000_000), answer(bindings([[[[]]]], [[[]]]))
    parts = iter([too_long, allowed, too_long, too_long, allowed])  # all three, a, the other two, long, b

    def respond(peer: socket.socket, closed: threading.Event) -> None:
        next(parts)(peer, closed)

    with serve(respond) as (server, url):
        answers = server.evaluate([build_input("a"), build_input("long"), build_input("b")])
    message = f"POST {url}/v1/query: the answer is longer than 4194304 bytes"
    assert answers.evaluations == (Evaluation(), Evaluation(unavailable=message), Evaluation())
    assert (answers.problem, answers.failed) == ("", frozenset({1}))


@pytest.mark.parametrize("fault", [drop, answer(b"{}", "500 Error")])
def test_a_policy_server_that_cannot_compute_the_digest_of_data_keeps_its_revision(fault: Respond) -> None:
    policies, bundles = answer(b'{"result": []}'), answer(b'{"result": [{"bundles": []}]}')
    digest = answer(b'{"result": [{"digest": "1"}]}')
    parts = iter([policies, bundles, digest, policies, bundles, fault, policies, bundles, digest])

    def respond(peer: socket.socket, closed: threading.Event) -> None:
        next(parts)(peer, closed)

    with serve(respond, timeout_s=1.0) as (server, _):
        versions = [server.read_version() for _ in range(3)]
    assert versions[0].revision
    assert versions == [versions[0]] * 3
    # a slow digest is not asked for again at once
    assert len(list(parts)) == (1 if fault is drop else 0)


def test_a_policy_server_token_of_several_lines_is_rejected_without_showing_it(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("first-part\nsecond-part\n")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        settings = OpaSettings(url=url, timeout_s=0.3, token_file=str(file))
        problem = OpaServer(OpaConnection(settings), parse_path("extdns/deny")).read_version().problem
    assert problem == f"GET {url}/v1/policies: the token file holds no token; allowed: one line without spaces"
