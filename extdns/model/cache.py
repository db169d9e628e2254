"""Cache the results of functions whose arguments are texts that users choose."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any, Final, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])
_SIZED: Final = (str, frozenset)


def cache_short(maxsize: int, longest: int = 1000) -> Callable[[F], F]:
    """Return a decorator that works as `lru_cache`, but computes results for long arguments each time.

    These are arguments of which the first has more than *longest* characters, or elements: thousands of texts of a
    megabyte each would fill the memory.
    """

    def decorate(function: F) -> F:
        cached = lru_cache(maxsize=maxsize)(function)

        @wraps(function)
        def call(first: Any, *others: Any) -> Any:  # noqa: ANN401 - those of the function
            is_long = type(first) in _SIZED and len(first) > longest
            return function(first, *others) if is_long else cached(first, *others)

        return cast("F", call)

    return decorate
