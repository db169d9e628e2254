"""Read lists page by page. Of what is too large for one response, fewer objects are requested."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from extdns.errors import ApiError, TooLargeError
from extdns.kube.api import MAX_ANSWER_BYTES, ApiClient
from extdns.kube.live import responses
from extdns.model.kind import Kind

PAGE_SIZE: Final = 500
_MAX_PAGE_BYTES: Final = 16 * 1024 * 1024
"""Some objects of the largest size: 1.5 MB in etcd are up to 9 MB of JSON, since it escapes some characters."""


def read_pages(
    api: ApiClient, kind: Kind, path: str, query: Mapping[str, str] | None = None, *, page_size: int = PAGE_SIZE
) -> Iterator[responses.ListPage]:
    """Read the list of *kind* at *path*, and yield its pages, of at most *page_size* objects.

    A page that is larger than 16 MiB is requested again with half as many objects. A single object may be as large as
    any response.

    Raises:
        ApiError: the API server gives no reliable response.
    """
    token, size = "", page_size
    while True:
        page_query = {**(query or {}), "limit": str(size)} | ({"continue": token} if token else {})
        try:
            body = api.get(path, page_query, max_bytes=_MAX_PAGE_BYTES if size > 1 else MAX_ANSWER_BYTES)
        except TooLargeError:
            if size == 1:
                raise
            size //= 2
            continue
        page = responses.decode_list(kind, f"GET {path}", body)
        if page.continue_token == token != "":
            raise ApiError(f"GET {path}: the list repeats the same page")
        yield page
        if not page.continue_token:
            return
        token = page.continue_token
        if len(body) < _MAX_PAGE_BYTES // 4:
            size = min(page_size, 2 * size)
