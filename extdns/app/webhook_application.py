"""The WSGI application of `extdns webhook`: paths, methods, media types and status codes (docs/spec/plan.md 6.2.3)."""

from __future__ import annotations

from collections.abc import Iterable
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from extdns import log
from extdns.app.webhook_service import WebhookService, WebhookServiceError
from extdns.errors import describe_error, escape_unprintable, sanitize
from extdns.log import Event
from extdns.masking import mask
from extdns.model.value import Value
from extdns.web.own_host import is_own_host
from providers.webhook import wire
from providers.webhook.wire import WireError

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIEnvironment

_log = log.get(__name__)
_MAX_MESSAGE: Final = 16_384
_TEXT: Final = "text/plain; charset=utf-8"


class Reply(Value, frozen=True, kw_only=True):
    """The answer to one request."""

    status: HTTPStatus = HTTPStatus.OK
    body: bytes = b""
    content_type: str = wire.MEDIA_TYPE


class WebhookApplication:
    """Answer the calls of the protocol. At every other path, return the domain filter, as external-dns does."""

    def __init__(self, service: WebhookService, *, host: str, max_body_bytes: int) -> None:
        """Serve *service* at *host*. A body may have *max_body_bytes*, or 1 GiB if that is not positive."""
        self._service = service
        self._host = host
        self._limit = wire.limit_body(max_body_bytes)

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one HTTP request (PEP 3333)."""
        reply = self._answer(environ)
        headers = [] if reply.status == wire.APPLIED else [("Content-Type", reply.content_type)]
        if reply.status != wire.APPLIED:
            headers.append(("Content-Length", str(len(reply.body))))
        start_response(f"{reply.status.value} {reply.status.phrase}", headers)
        return () if environ["REQUEST_METHOD"] == "HEAD" else (reply.body,)

    def _answer(self, environ: WSGIEnvironment) -> Reply:
        method, path = str(environ["REQUEST_METHOD"]), str(environ["PATH_INFO"])
        if not is_own_host(environ, self._host):
            header = sanitize(str(environ["HTTP_HOST"]))
            message = f"{header} is not served here; use localhost, 127.0.0.1, [::1] or --webhook-listen"
            return _build_error(HTTPStatus.MISDIRECTED_REQUEST, message)
        try:
            match path, method:
                case wire.RECORDS_PATH, "GET":
                    return Reply(body=wire.encode_endpoints(self._service.read_records()))
                case wire.RECORDS_PATH, "POST":
                    self._service.apply(wire.decode_changes(self._read_body(environ)))
                    return Reply(status=wire.APPLIED)
                case wire.ADJUST_PATH, "POST":
                    endpoints = wire.decode_endpoints(self._read_body(environ))
                    return Reply(body=wire.encode_endpoints(self._service.adjust(endpoints)))
                case ((wire.RECORDS_PATH | wire.ADJUST_PATH), _):
                    return _build_error(HTTPStatus.BAD_REQUEST, f"{method} is not a method of {path}")
                case _:
                    return Reply(body=wire.encode_filter(self._service.negotiate()))
        except WireError as exc:
            return _build_error(HTTPStatus.BAD_REQUEST, str(exc))
        except _RefusedBodyError as exc:
            return _build_error(exc.status, str(exc))
        except WebhookServiceError as exc:
            _log.warning(Event.WEBHOOK_CALL_FAILED, method=method, path=path, error=str(exc))
            return _build_error(HTTPStatus.INTERNAL_SERVER_ERROR, str(exc))
        except Exception as exc:  # noqa: BLE001 - law 3: a defect ends this call only
            _log.error(Event.REQUEST_FAILED, path=path, error=describe_error(exc))
            return _build_error(HTTPStatus.INTERNAL_SERVER_ERROR, "internal error; see the log")

    def _read_body(self, environ: WSGIEnvironment) -> bytes:
        """Return the body of a request.

        The media type of the protocol is required: a page of another site cannot make a browser send it without the
        permission of this server (CORS).

        Raises:
            _RefusedBodyError: the body has another media type or no length, or is too long.
        """
        if not wire.is_media_type(str(environ.get("CONTENT_TYPE", ""))):
            raise _RefusedBodyError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"Content-Type must be {wire.MEDIA_TYPE}")
        length = str(environ.get("CONTENT_LENGTH", ""))
        if not (length.isascii() and length.isdigit()) or len(length) > len(str(wire.HARD_LIMIT_BYTES)):
            raise _RefusedBodyError(HTTPStatus.LENGTH_REQUIRED, "Content-Length is missing or invalid")
        if int(length) > self._limit:
            raise _RefusedBodyError(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                f"more than {self._limit} bytes; see --webhook-provider-max-body-size",
            )
        body: bytes = environ["wsgi.input"].read(int(length))
        if len(body) < int(length):
            raise _RefusedBodyError(HTTPStatus.BAD_REQUEST, "the body ends early")
        return body


class _RefusedBodyError(Exception):
    def __init__(self, status: HTTPStatus, message: str) -> None:
        super().__init__(message)
        self.status = status


def _build_error(status: HTTPStatus, message: str) -> Reply:
    lines = "\n".join(map(escape_unprintable, mask(message)[:_MAX_MESSAGE].split("\n")))
    return Reply(status=status, body=f"{lines}\n".encode(), content_type=_TEXT)
