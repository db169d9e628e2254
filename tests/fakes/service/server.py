"""What every fake service does: listen on a port of its own, and lose its connections when it is killed."""

from __future__ import annotations

import ssl
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Self

from tests.fakes.service.answers import Answer
from tests.fakes.service.certificates import create_certificate
from tests.fakes.service.faults import Faults
from tests.fakes.service.listener import HOST, Listener, Request


class FakeService:
    """A fake service on a port of its own, which runs from `__enter__` to `__exit__`. A subclass has `_respond`.

    Attributes:
        faults: what a test arms for the next calls.
        ca: the CA certificate in PEM; empty without TLS.
    """

    def __init__(self, *, tls: bool = False) -> None:
        self.faults = Faults()
        self.ca = b""
        self._port = 0
        self._listener: Listener | None = None
        self._context: ssl.SSLContext | None = None
        if tls:
            with TemporaryDirectory() as folder:
                self._context, self.ca = create_certificate(Path(folder))

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()

    @property
    def url(self) -> str:
        """The URL of the service, unchanged while it is stopped."""
        return f"{'https' if self._context else 'http'}://{HOST}:{self._port}"

    def start(self, port: int = 0) -> None:
        """Start to listen at *port*; 0 stands for the same port as before, or for a free one at the first start."""
        self._listener = Listener(self._respond, port=port or self._port, tls=self._context)
        self._port = self._listener.port

    def kill(self) -> None:
        """Cut all connections, and refuse new ones until `start`. Armed faults are removed."""
        if self._listener is not None:
            self.faults.clear()
            self._listener.close()
            self._listener = None

    def _respond(self, request: Request) -> Answer:
        raise NotImplementedError
