"""Values as text, as Go's fmt prints them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import Final, NamedTuple

from extdns.sources.gotemplate.errors import TemplateError
from extdns.sources.gotemplate.types import Form, type_of
from extdns.sources.gotemplate.values import NIL, Maybe, Value, elements, entries, octets, pointed

_MAX_WIDTH: Final = 1000
_DIRECTIVE: Final = re.compile(r"%([-+# 0]*)([0-9]*)(\.[0-9]*)?(.?)", re.DOTALL)
_WHOLE: Final = frozenset({Form.INTEGER, Form.UNSIGNED})
_TEXTUAL: Final = frozenset({Form.STRING, Form.TIME, Form.INT_OR_STRING, Form.QUANTITY})
_SELF_PRINTING: Final = ("core.", "networking.", "meta.")
_NO_TIME: Final = "0001-01-01 00:00:00 +0000 UTC"
# Exponents from which on shortest floats are written with one.
_LEAST_EXPONENT: Final = -4
_MOST_EXPONENT: Final = 21


def shown(value: Maybe) -> str:
    """What `{{value}}` prints; raises `TemplateError` for structs, which print as nobody wants."""
    if value is None or value is NIL:
        return "<no value>"
    return plain(pointed(value)[0])


def plain(value: Value) -> str:
    """What `%v` prints; raises `TemplateError` for structs and pointers.

    Structs of Kubernetes itself have a method for it, which says `nil` where Go says `<nil>`.
    """
    if value.form in {Form.POINTER, Form.ANY} and value.data is None:
        of = value.type.of
        return "nil" if of.startswith(_SELF_PRINTING) and type_of(of).form is Form.STRUCT else "<nil>"
    match value.form:
        case Form.STRING:
            return str(value.data)
        case Form.BOOLEAN:
            return "true" if value.data else "false"
        case Form.INTEGER | Form.UNSIGNED | Form.INT_OR_STRING | Form.QUANTITY:
            return str(value.data)
        case Form.FLOAT:
            return shortest(float(value.data))
        case Form.TIME:
            return _time(value.data)
        case Form.SLICE:
            return f"[{' '.join(map(plain, elements(value)))}]"
        case Form.MAP:
            return f"map[{' '.join(f'{plain(key)}:{plain(one)}' for key, one in entries(value))}]"
        case _:
            raise TemplateError(f"{value.form} cannot be printed")


def shortest(number: float) -> str:
    """The shortest text that is read as *number* again, with an exponent where Go writes one."""
    if number != number or number in {float("inf"), float("-inf")}:  # noqa: PLR0124 - NaN
        return {"inf": "+Inf", "-inf": "-Inf"}.get(str(number), "NaN")
    mantissa, _, power = f"{Decimal(repr(number)):e}".partition("e")
    minus = "-" if mantissa.startswith("-") else ""
    digits = mantissa.strip("-").replace(".", "").rstrip("0")
    if not digits:
        return f"{minus}0"
    exponent = int(power)
    if not _LEAST_EXPONENT <= exponent < _MOST_EXPONENT:
        fraction = f".{digits[1:]}" if digits[1:] else ""
        return f"{minus}{digits[0]}{fraction}e{exponent:+03d}"
    return f"{minus}{Decimal(f'{digits}e{exponent - len(digits) + 1}'):f}"


def _time(text: str | None) -> str:
    if text is None:
        return _NO_TIME
    try:
        moment = datetime.fromisoformat(text).astimezone(UTC)
    except ValueError as exc:
        raise TemplateError(f"the object has {text[:40]!r} where there should be a time") from exc
    fraction = f".{moment.microsecond:06d}".rstrip("0") if moment.microsecond else ""
    return f"{moment:%Y-%m-%d %H:%M:%S}{fraction} +0000 UTC"


def printed(values: Sequence[Value]) -> str:
    """What `print` makes: a space between two of which neither is a string."""
    found: list[str] = []
    for at, value in enumerate(values):
        if at and Form.STRING not in {value.form, values[at - 1].form}:
            found.append(" ")
        found.append(plain(value))
    return "".join(found)


def formatted(template: str, values: Sequence[Value]) -> str:
    """What `printf` makes of *values*; a directive that does not fit shows what is wrong, as in Go."""
    left = list(values)
    found: list[str] = []
    at = 0
    for directive in _DIRECTIVE.finditer(template):
        found += (template[at : directive.start()], _directed(directive, left))
        at = directive.end()
    found.append(template[at:])
    if left:
        found.append(f"%!(EXTRA {', '.join(map(_typed, left))})")
    return "".join(found)


class _Directive(NamedTuple):
    """`%-5.2f` and the like; *precision* is -1 where there is none."""

    verb: str
    flags: str
    width: int
    precision: int


def _directed(found: re.Match[str], left: list[Value]) -> str:
    flags, width, precision, verb = found.groups()
    if verb == "%":
        return "%"
    if not verb:
        return "%!(NOVERB)"
    if verb in "*[":
        raise TemplateError(f"{found[0]} is not supported in formats")
    if not left:
        return f"%!{verb}(MISSING)"
    digits = int(precision[1:] or 0) if precision else -1
    if int(width or 0) > _MAX_WIDTH or digits > _MAX_WIDTH:
        raise TemplateError(f"{found[0]} is too wide; allowed: up to {_MAX_WIDTH}")
    return _written(left.pop(0), _Directive(verb, flags, int(width or 0), digits))


def _padded(text: str, directive: _Directive) -> str:
    if "-" in directive.flags:
        return text.ljust(directive.width)
    if "0" in directive.flags:
        sign = text[:1] if text[:1] in {"+", "-"} else ""
        return sign + text[len(sign) :].rjust(directive.width - len(sign), "0")
    return text.rjust(directive.width)


def _written(value: Value, directive: _Directive) -> str:
    """One value by one directive; each element of a list or a map by itself."""
    if value.form in _WHOLE and directive.precision >= 0:  # then the digits are counted, and blanks fill the width
        directive = directive._replace(flags=directive.flags.replace("0", ""))
    if directive.verb == "T":
        return _padded(_type_name(value), directive)
    if value.form is Form.SLICE:
        return f"[{' '.join(_written(one, directive) for one in elements(value))}]"
    if value.form is Form.MAP:
        pairs = ((_written(key, directive), _written(one, directive)) for key, one in entries(value))
        return f"map[{' '.join(f'{key}:{one}' for key, one in pairs)}]"
    text = _scalar(value, directive.verb, directive.flags, directive.precision)
    if text is not None:
        return _padded(text, directive)
    if value.form is Form.ANY:
        return f"%!{directive.verb}(<nil>)"
    plainly = _signed(value, _precise(value, directive.precision), directive.flags)
    return f"%!{directive.verb}({_type_name(value)}={_padded(plainly, directive)})"


def _scalar(value: Value, verb: str, flags: str, precision: int) -> str | None:
    """The text, None if the verb does not fit."""
    if verb == "v":
        if "#" in flags:
            return _quoted(value)
        return _signed(value, _precise(value, precision), flags.replace("+", ""))  # there, + is about structs
    if value.form in _TEXTUAL:
        return _string_verb(plain(value), verb, flags, precision)
    if value.form is Form.BOOLEAN and verb == "t":
        return plain(value)
    if value.form in _WHOLE:
        return _integer_verb(value, verb, flags, precision)
    return _float_verb(value, verb, flags, precision) if value.form is Form.FLOAT else None


def _precise(value: Value, precision: int) -> str:
    """*value* as by `%v`, without a sign +.

    Of a text *precision* is the most characters, of a fraction the most digits, and of a whole number the least; -1
    stands for none.
    """
    if precision >= 0 and value.form in _WHOLE:
        return _digits(value.data, "d", precision)
    if precision >= 0 and value.form is Form.FLOAT:
        return f"{float(value.data):.{precision}g}"
    text = plain(value)
    return text[:precision] if precision >= 0 and value.form in _TEXTUAL else text


def _digits(number: int, verb: str, precision: int, prefix: str = "") -> str:
    if precision == 0 and number == 0:
        return ""
    return f"{'-' if number < 0 else ''}{prefix}{f'{abs(number):{verb}}'.rjust(precision, '0')}"


def _signed(value: Value, text: str, flags: str) -> str:
    if value.form not in {*_WHOLE, Form.FLOAT} or not text or text.startswith("-"):
        return text
    return f"+{text}" if "+" in flags else f" {text}" if " " in flags else text


def _string_verb(text: str, verb: str, flags: str, precision: int) -> str | None:
    cut = text if precision < 0 else text[:precision]
    match verb:
        case "s":
            return cut
        case "q":
            return _quote(cut)
        case "x" | "X":
            data = octets(text) if precision < 0 else octets(text)[:precision]
            digits = data.hex(" ") if " " in flags else data.hex()
            return digits.upper() if verb == "X" else digits
        case _:
            return None


def _integer_verb(value: Value, verb: str, flags: str, precision: int) -> str | None:
    number: int = value.data
    if verb in {"d", "b", "o", "x", "X"}:
        prefix = {"x": "0x", "X": "0X", "o": "0", "b": "0b"}.get(verb, "") if "#" in flags else ""
        return _signed(value, _digits(number, verb, precision, prefix), flags)
    if verb in {"c", "U", "q"}:
        known = 0 <= number <= 0x10FFFF and not 0xD800 <= number <= 0xDFFF  # noqa: PLR2004 - Unicode
        character = chr(number) if known else "\ufffd"
        return f"U+{number:04X}" if verb == "U" else character if verb == "c" else _quote(character, "'")
    return None


def _float_verb(value: Value, verb: str, flags: str, precision: int) -> str | None:
    number = float(value.data)
    if verb in {"f", "F", "e", "E"}:
        return _signed(value, f"{number:.{6 if precision < 0 else precision}{verb}}", flags)
    if verb in {"g", "G"}:
        text = shortest(number) if precision < 0 else f"{number:.{precision}{verb}}"
        return _signed(value, text.upper() if verb == "G" else text, flags)
    return None


def _quoted(value: Value) -> str:
    return _quote(value.data) if value.form is Form.STRING else plain(value)


_ESCAPES: Final = {"\a": "a", "\b": "b", "\f": "f", "\n": "n", "\r": "r", "\t": "t", "\v": "v", "\\": "\\"}


def _quote(text: str, quote: str = '"') -> str:
    return quote + "".join(_escaped(character, quote) for character in text) + quote


def _escaped(character: str, quote: str) -> str:
    code = ord(character)
    if character == quote:
        return f"\\{quote}"
    if character in _ESCAPES:
        return f"\\{_ESCAPES[character]}"
    if 0xDC80 <= code <= 0xDCFF:  # noqa: PLR2004 - a byte that is no UTF-8, as Python carries it
        return f"\\x{code - 0xDC00:02x}"
    if character.isprintable():
        return character
    return f"\\x{code:02x}" if code < 0x80 else f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"  # noqa: PLR2004


def _typed(value: Value) -> str:
    if value.form is Form.ANY:
        return "<nil>"
    return f"{_type_name(value)}={plain(value)}"


def _type_name(value: Value) -> str:
    name = re.sub(r"\b(?:core|networking|meta)\.", "v1.", value.type.name)
    return "<nil>" if value.form is Form.ANY else re.sub(r"\bany\b", "interface {}", name)
