"""The server of the live page and the JSON API."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from extdns.log import Event
from extdns.web.server import Server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

    from extdns.config import Config
    from extdns.facts.live import Live
    from extdns.model.apibudget import ApiBudget
    from extdns.web.site import Pages


def page_server(config: Config, show: Callable[[], Live | None], budgets: Callable[[], Iterable[ApiBudget]]) -> Server:
    """Serve what *show* shows at `--web-address`; *budgets* tells which calls the process may make.

    A process that nobody looks at does without the code, and without templates until a browser comes.
    """

    @cache
    def site() -> WSGIApplication:
        from extdns.web.api import Api
        from extdns.web.site import Site

        api = Api(config, budgets)

        @cache
        def pages() -> Pages:
            from extdns.web.pages import HtmlPages

            return HtmlPages(config, api)

        return Site(show=show, api=api, pages=pages, address=config.web.web_address)

    def application(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        return site()(environ, start_response)

    return Server(config.web.web_address, application, flag="--web-address", event=Event.PAGE_SERVED)
