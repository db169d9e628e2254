"""`extdns release CODE`: let held deletes be made (design 6)."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Final

from extdns.commands.held import HeldSet, held_sets, place
from extdns.commands.output import show
from extdns.errors import ExtdnsError, UsageError, shown
from extdns.flags.mistakes import mistake
from extdns.kube import shelf

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_CODE: Final = re.compile(r"[0-9a-f]{4}-[0-9a-f]{4}")
HELP: Final = """\
Usage: extdns release CODE [CODE...] [flags]

Lets deletes be made that are held and shown under CODE, those of them that are still held, for 24 hours. The process
that holds them sees it within ten seconds; without one, it counts for the next.

The code is in the log, in the Events of the objects, and in what `extdns status` shows. Flags and variables are those
of extdns itself, of which --state-configmap, --state-file, --kubeconfig and --server matter.
"""


def main(arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    """Release what shows the codes in *arguments*, and tell what that is.

    Raises:
        UsageError: a code is shown by nothing held; what shows another one is released all the same.
    """
    codes = tuple(dict.fromkeys(argument for argument in arguments if _CODE.fullmatch(argument)))
    rest = [argument for argument in arguments if not _CODE.fullmatch(argument)]
    if rest and not rest[0].startswith("-"):
        raise mistake(f"{shown(rest[0])} is not a release code", "allowed: as the log shows it, such as 7f3a-91c2")
    found = place(rest, environ)
    try:
        document = found.read()
        sets = held_sets(document) if document is not None else ()
        known = [one for one in sets if one.code in codes]
        if known:
            found.update(partial(shelf.with_released, codes=tuple(dict.fromkeys(one.code for one in known))))
    except UsageError:
        raise
    except ExtdnsError as exc:
        raise UsageError(str(exc)) from exc
    show("".join(_told(one) for one in known))
    unknown = [code for code in codes if code not in {one.code for one in known}]
    if unknown or not codes:
        what = f"no held set shows {', '.join(unknown)} in {found}" if unknown else "extdns release needs a code"
        raise mistake(what, *_choices(sets))
    return 0


def _told(one: HeldSet) -> str:
    if one.released == one.deletes:
        return f"Already released: {one}.\n"
    now = "" if one.now else " Other deletes are held by now; those of these that still are go, the others stay."
    return f"Released: {one}.{now}\n"


def _choices(sets: Iterable[HeldSet]) -> tuple[str, ...]:
    held = tuple(f"held now: {one.code} ({one})" for one in sets if one.now)
    return held or ("nothing is held now",)
