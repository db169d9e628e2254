"""Send lines to a collector as Open Policy Agent sends its decision log: compressed arrays of JSON."""

from __future__ import annotations

import gzip
from collections.abc import Iterator

from extdns.opa.connection import OpaConnection, OpaError

_MAX_ANSWER_BYTES = 65_536


class LogCollector:
    """Sends lines of the decision log by POST to the URL of a connection."""

    def __init__(self, connection: OpaConnection) -> None:
        """Post over *connection*, which is opened with the first lines."""
        self._connection = connection

    def open(self) -> None:
        """Do nothing: `write` connects."""

    def write(self, data: bytes) -> None:
        """Post *data*, one line or more.

        Raises:
            OSError: the collector did not accept it.
        """
        body = gzip.compress(b"[" + b",".join(data.splitlines()) + b"]", mtime=0)
        try:
            self._connection.request("POST", "", gzipped=body, max_bytes=_MAX_ANSWER_BYTES)
        except OpaError as exc:
            raise OSError(str(exc)) from exc

    def read_lines(self) -> Iterator[bytes]:
        """Yield nothing: lines that were sent cannot be read again."""
        return iter(())

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()
