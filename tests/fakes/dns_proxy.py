"""A TCP proxy on loopback in front of a DNS server, which drops, cuts off or delays messages."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from enum import StrEnum
from typing import Final

from providers.rfc2136.settings import DnsServer
from tests.fakes.service.raw import RawServer
from tests.nameservers import HOST

_TIMEOUT_S: Final = 20.0
_SLOW_PARTS: Final = 20
_PART_S: Final = 0.005


class Fault(StrEnum):
    """What happens to a connection."""

    NONE = "none"
    DROP_QUERY = "drop-query"
    DROP_ANSWER = "drop-answer"
    CUT_ANSWER = "cut-answer"
    SLOW_ANSWER = "slow-answer"


class DnsProxy(RawServer):
    """Passes each connection on to *server*, with the fault that *choose* returns; serves while it is entered.

    Attributes:
        address: where it listens.
        faults: the fault of each connection so far.
        answered_bytes: the size of all messages that the server has sent.
    """

    def __init__(self, server: DnsServer, choose: Callable[[], Fault]) -> None:
        super().__init__(self._start)
        self._server = server
        self._choose = choose
        self.faults: list[Fault] = []
        self.answered_bytes = 0
        self._never = threading.Event()
        self.address = DnsServer(host=HOST, port=self.port)

    def has_more_than(self, connections: int) -> bool:
        return len(self.faults) > connections

    def _start(self, client: socket.socket) -> None:
        threading.Thread(target=self._pass_on, args=(client.dup(),), daemon=True).start()

    def _pass_on(self, client: socket.socket) -> None:
        """Pass one query on, and the messages of its answer until one of both ends closes the connection."""
        fault = self._choose()
        self.faults.append(fault)
        with client, suppress(OSError):  # the server may be gone, and the client may close the connection
            query = _read_message(client)
            if fault is Fault.DROP_QUERY:
                return
            target = (self._server.host, self._server.port)
            with socket.create_connection(target, timeout=_TIMEOUT_S) as upstream:
                upstream.sendall(query)
                answer = self._read_answer(upstream)
                if not answer or fault is Fault.DROP_ANSWER:
                    return
                if fault is Fault.CUT_ANSWER:
                    client.sendall(answer[: len(answer) // 2])
                    return
                self._send(client, answer, is_slow=fault is Fault.SLOW_ANSWER)
                threading.Thread(target=_close_after, args=(client, upstream), daemon=True).start()
                while answer := self._read_answer(upstream):
                    client.sendall(answer)

    def _read_answer(self, upstream: socket.socket) -> bytes:
        answer = _read_message(upstream)
        self.answered_bytes += len(answer)
        return answer

    def _send(self, client: socket.socket, answer: bytes, *, is_slow: bool) -> None:
        size = len(answer) // _SLOW_PARTS + 1 if is_slow else len(answer)
        for start in range(0, len(answer), size):
            client.sendall(answer[start : start + size])
            if is_slow:
                self._never.wait(_PART_S)


def _close_after(client: socket.socket, upstream: socket.socket) -> None:
    with suppress(OSError):
        client.recv(1)
        upstream.shutdown(socket.SHUT_RDWR)


def _read_message(stream: socket.socket) -> bytes:
    """Return one message with its length, b"" if the connection was closed."""
    head = stream.recv(2, socket.MSG_WAITALL)
    return head + stream.recv(int.from_bytes(head), socket.MSG_WAITALL) if head else b""
