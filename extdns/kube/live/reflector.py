"""Lists and watches one kind in one namespace, for as long as it is asked to, whatever the API server does."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Final, assert_never

from extdns.errors import ApiError, DeniedError, ExpiredError, NotFoundError, described
from extdns.kube.api import Api
from extdns.kube.live import wire
from extdns.kube.live.pace import Pace, Rhythm
from extdns.kube.live.report import Report
from extdns.kube.live.roll import News, Roll
from extdns.kube.paths import collection_path
from extdns.model.cluster import Kind, Phase

_REFUSALS_OF_PARAMETERS: Final = frozenset({400, 422})


class _NotListedError(Exception):
    """A watch that was to begin with a list did not; pages will do."""


class Reflector:
    """A thread; whatever fails in it is told and tried again.

    A watch that ends is taken up where it ended. After it was cut, the server is asked first whether
    it knows that version: it may have come back with another history. Only a version that is not
    known any more makes all be listed again.

    Attributes:
        roll: what was seen; its count may be read by other threads.
    """

    def __init__(  # noqa: PLR0913 - most by name
        self,
        api: Api,
        kind: Kind,
        namespace: str,
        tell: Callable[[Report], None],
        *,
        rhythm: Rhythm,
        random: Callable[[], float],
        monotonic: Callable[[], float] = time.monotonic,
        whole: bool = False,
    ) -> None:
        """Tell of *kind* in *namespace*, "" for all, *whole* or not; *tell* must be safe to call from any thread."""
        self.roll = Roll(kind, whole=whole)
        self._api = api
        self._kind = kind
        self._forms = kind.forms
        self._missed = 0  # forms in a row that were not served
        self._namespace = namespace
        self._tell_of = tell
        self._rhythm = rhythm
        self._pace = Pace(rhythm, random)
        self._monotonic = monotonic
        self._ask_for(self._forms[0])
        self._version = ""  # all up to here is on the roll; "": nothing is certain
        self._in_doubt = False  # whether the server still knows that version
        self._streams_lists = True
        self._standing_since_s = math.inf  # the watch under way, or that has just ended
        self._broken = 0  # requests in a row that failed, watches that were cut
        self._phase = Phase.LISTING
        self._stop = Event()
        self._thread = Thread(target=self._run, name=f"{kind.plural} {namespace}".rstrip(), daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End after the request under way, which is for the API to cut."""
        self._stop.set()

    def join(self, timeout_s: float) -> None:
        """Wait until it has ended, or for so long."""
        self._thread.join(timeout_s)

    def _run(self) -> None:
        while not self._stop.is_set():
            self._stop.wait(self._round())

    def _round(self) -> float:
        """List if need be and watch for as long as it goes; returns how long to pause then, in seconds."""
        try:
            return self._follow()
        except NotFoundError as exc:
            self._version = ""
            if self._is_other_form_left():
                return 0.0
            self._forgive()
            self._tell(phase=Phase.NOT_SERVED, detail=str(exc))
            return self._pace.fail(exc.retry_after_s)
        except DeniedError as exc:
            self._forgive()
            self._tell(phase=Phase.FORBIDDEN, detail=str(exc))
            return self._pace.fail(exc.retry_after_s)
        except ExpiredError as exc:
            self._version = ""
            return self._failed(str(exc), None)
        except ApiError as exc:
            return self._failed(str(exc), exc.retry_after_s)
        except Exception as exc:  # noqa: BLE001 - law 3: a defect here must not silence a kind for good
            self._version = ""
            return self._failed(described(exc), None)

    def _ask_for(self, form: Kind) -> None:
        self._form = form
        self._path = collection_path(form, self._namespace)
        self._call = f"GET {self._path}"

    def _is_other_form_left(self) -> bool:
        """Turn to the next version of the kind; tells whether it has not just been found wanting, too."""
        self._missed += 1
        self._ask_for(self._forms[(self._forms.index(self._form) + 1) % len(self._forms)])
        return self._missed % len(self._forms) != 0

    def _failed(self, why: str, retry_after_s: float | None) -> float:
        """One failure may be a connection that was cut; the next one in a row is told."""
        self._forgive()
        pause_s = self._pace.fail(retry_after_s)
        self._broken += 1
        if self._broken > 1 and not self._stop.is_set():
            self._tell(phase=Phase.FAILING, detail=why)
        return pause_s

    def _follow(self) -> float:
        if self._version and self._in_doubt and self._is_in_another_history():
            self._version = ""
            self.roll.forget_versions()
        if not self._version and self._streams_lists:
            try:
                return self._watch(is_list=True)
            except _NotListedError:
                pass
            except ApiError as exc:
                if exc.code not in _REFUSALS_OF_PARAMETERS:
                    raise
            self._streams_lists = False
        if not self._version:
            self._list()
        return self._watch(is_list=False)

    def _list(self) -> None:
        """List page by page; that nothing is left at all must be said twice."""
        version = self._pages()
        if self.roll.lost_all:
            version = self._pages()
        self._complete(version)

    def _pages(self) -> str:
        """Take in a whole list; returns its version."""
        self.roll.begin()
        query = {"limit": str(self._rhythm.page_size)}
        page = self._page(query)
        version = page.version
        while page.token:
            token = page.token
            page = self._page(query | {"continue": token})
            if page.token == token:
                raise ApiError(f"{self._call}: the list goes on with the same page for ever")
        return version

    def _page(self, query: dict[str, str]) -> wire.Page:
        page = wire.page(self._form, self._call, self._api.get(self._path, query))
        with self._gathering() as news:
            for item in page.items:
                news.extend(self.roll.see(item))
        return page

    def _complete(self, version: str) -> None:
        self._missed = 0
        self._tell(self.roll.complete(), phase=Phase.SYNCED)
        self._version = version
        self._broken = 0

    def _is_in_another_history(self) -> bool:
        """Whether the server answers that our version has not happened yet.

        A watch from such a version would be silent without end.
        """
        query = {"limit": "1", "resourceVersion": self._version, "resourceVersionMatch": "NotOlderThan"}
        try:
            wire.page(self._form, self._call, self._api.get(self._path, query))
        except ExpiredError:
            return True
        return False

    def _watch(self, *, is_list: bool) -> float:
        """Watch from our version on, or, if *is_list*, from a list on that comes first; returns the pause after it."""
        query = {"watch": "1", "allowWatchBookmarks": "true", "timeoutSeconds": str(self._pace.watch_s())}
        if is_list:
            query |= {"sendInitialEvents": "true", "resourceVersionMatch": "NotOlderThan"}
        else:
            query["resourceVersion"] = self._version
        self._in_doubt, heard = True, False
        with self._api.stream(self._path, query) as stream:
            self._standing_since_s = self._monotonic()
            lines = iter(stream)
            if is_list:
                self._take_list(lines)
            else:
                self._tell(phase=Phase.SYNCED)
            stream.allow_silence(self._rhythm.silence_s)
            for line in lines:
                self._hear(wire.frame(self._form, self._call, line))
                heard = True
        self._in_doubt, self._broken = False, 0
        return 0.0 if self._forgive() or heard else self._pace.fail(None)

    def _forgive(self) -> bool:
        """Forget earlier failures if the last watch stood for long enough; tells whether it did."""
        since_s, self._standing_since_s = self._standing_since_s, math.inf
        if self._monotonic() - since_s < self._rhythm.alive_s:
            return False
        self._pace.succeed()
        return True

    def _take_list(self, lines: Iterable[bytes]) -> None:
        """Take in the list that comes before the events of a watch.

        Raises:
            _NotListedError: it is not whole, or nothing is left though there was something.
        """
        self.roll.begin()
        try:
            version = self._initial(lines)
        except ApiError as exc:
            raise _NotListedError(str(exc)) from exc
        if not version or self.roll.lost_all:
            raise _NotListedError
        self._complete(version)

    def _initial(self, lines: Iterable[bytes]) -> str:
        """Take in objects up to the bookmark that ends them; returns its version, "" if there is none."""
        with self._gathering() as news:
            for line in lines:
                match wire.frame(self._form, self._call, line):
                    case wire.Shown(item):
                        news.extend(self.roll.see(item))
                    case wire.Deleted(item):
                        news.extend(self.roll.delete(item))
                    case wire.Bookmark(version, is_initial_end):
                        if is_initial_end:
                            return version
                    case other:
                        assert_never(other)
        return ""

    def _hear(self, frame: wire.Frame) -> None:
        self._pace.succeed()
        self._broken = 0
        match frame:
            case wire.Shown(item):
                self._tell(self.roll.change(item))
                self._version = (item.head and item.head.resource_version) or self._version
            case wire.Deleted(item):
                self._tell(self.roll.delete(item))
                self._version = (item.head and item.head.resource_version) or self._version
            case wire.Bookmark(version, _):
                self._version = version or self._version
            case _:
                assert_never(frame)

    @contextmanager
    def _gathering(self) -> Iterator[list[News]]:
        """News of a list, told together whatever ends it: each telling wakes another thread, and lists are long."""
        news: list[News] = []
        try:
            yield news
        finally:
            self._tell(news)

    def _tell(self, news: Iterable[News] = (), *, phase: Phase | None = None, detail: str = "") -> None:
        told = tuple(news)
        entered = phase if phase is not self._phase else None
        if entered is not None:
            self._phase = entered
        if told or entered is not None:
            self._tell_of(Report(kind=self._kind, namespace=self._namespace, news=told, phase=entered, detail=detail))
