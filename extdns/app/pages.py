"""The server of the live page and the JSON API."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from extdns.log import Event
from extdns.web.server import Server
from extdns.web.site import Site

if TYPE_CHECKING:
    from collections.abc import Callable

    from extdns.config import Config
    from extdns.facts.live import Live
    from extdns.web.site import Pages


def page_server(config: Config, show: Callable[[], Live | None]) -> Server:
    """Serve what *show* shows at `--web-address`; templates are loaded when a browser comes."""

    @cache
    def pages() -> Pages:
        from extdns.web.pages import HtmlPages

        return HtmlPages(config)

    site = Site(show=show, config=config, pages=pages, address=config.web.web_address)
    return Server(config.web.web_address, site, flag="--web-address", event=Event.PAGE_SERVED)
