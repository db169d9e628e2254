"""The server of the live page and the JSON API."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from extdns.log import Event
from extdns.web.api import Api
from extdns.web.server import Server
from extdns.web.site import Site

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from extdns.config import Config
    from extdns.facts.live import Live
    from extdns.model.apibudget import ApiBudget
    from extdns.web.site import Pages


def page_server(config: Config, show: Callable[[], Live | None], budgets: Callable[[], Iterable[ApiBudget]]) -> Server:
    """Serve what *show* shows at `--web-address`; *budgets* tells which calls the process may make.

    Templates are loaded when a browser comes.
    """

    @cache
    def pages() -> Pages:
        from extdns.web.pages import HtmlPages

        return HtmlPages(config, api)

    api = Api(config, budgets)
    site = Site(show=show, api=api, pages=pages, address=config.web.web_address)
    return Server(config.web.web_address, site, flag="--web-address", event=Event.PAGE_SERVED)
