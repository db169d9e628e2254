"""Format values as Go's package fmt does."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import Final, NamedTuple

from extdns.gotemplate.errors import TemplateError
from extdns.gotemplate.values import (
    NIL,
    GoValue,
    OptionalValue,
    TypeForm,
    dereference,
    encode_string,
    find_type,
    list_elements,
    list_entries,
)

_MAX_WIDTH: Final = 1000
_DIRECTIVE: Final = re.compile(r"%([-+# 0]*)([0-9]*)(\.[0-9]*)?(.?)", re.DOTALL)
_INTEGERS: Final = frozenset({TypeForm.INTEGER, TypeForm.UNSIGNED})
_TEXTUAL: Final = frozenset({TypeForm.STRING, TypeForm.TIME, TypeForm.INT_OR_STRING, TypeForm.QUANTITY})
_SELF_PRINTING: Final = ("core.", "networking.", "meta.")
_NO_TIME: Final = "0001-01-01 00:00:00 +0000 UTC"
# Go writes floats with smaller or larger exponents in scientific notation.
_LEAST_EXPONENT: Final = -4
_MOST_EXPONENT: Final = 21


def format_output(value: OptionalValue) -> str:
    """Return what `{{value}}` prints. Raises `TemplateError` for structs, whose output would be useless."""
    if value is None or value is NIL:
        return "<no value>"
    return format_plain(dereference(value)[0])


def format_plain(value: GoValue) -> str:
    """Return what `%v` prints. Raises `TemplateError` for structs, and for pointers that are not nil.

    Structs of Kubernetes have a String method, which prints `nil` where fmt prints `<nil>`.
    """
    if value.form in {TypeForm.POINTER, TypeForm.ANY} and value.data is None:
        of = value.type.element
        return "nil" if of.startswith(_SELF_PRINTING) and find_type(of).form is TypeForm.STRUCT else "<nil>"
    match value.form:
        case TypeForm.STRING:
            return str(value.data)
        case TypeForm.BOOLEAN:
            return "true" if value.data else "false"
        case TypeForm.INTEGER | TypeForm.UNSIGNED | TypeForm.INT_OR_STRING | TypeForm.QUANTITY:
            return str(value.data)
        case TypeForm.FLOAT:
            return format_float(float(value.data))
        case TypeForm.TIME:
            return _format_time(value.data)
        case TypeForm.SLICE:
            return f"[{' '.join(map(format_plain, list_elements(value)))}]"
        case TypeForm.MAP:
            return f"map[{' '.join(f'{format_plain(key)}:{format_plain(one)}' for key, one in list_entries(value))}]"
        case _:
            raise TemplateError(f"{value.form} cannot be printed")


def format_float(number: float) -> str:
    """Return the shortest text that parses to *number*, in scientific notation if Go uses it for that number."""
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


def _format_time(text: str | None) -> str:
    if text is None:
        return _NO_TIME
    try:
        moment = datetime.fromisoformat(text).astimezone(UTC)
    except ValueError as exc:
        raise TemplateError(f"the object has {text[:40]!r} where a time is expected") from exc
    fraction = f".{moment.microsecond:06d}".rstrip("0") if moment.microsecond else ""
    return f"{moment:%Y-%m-%d %H:%M:%S}{fraction} +0000 UTC"


def print_values(values: Sequence[GoValue]) -> str:
    """Return the output of `print`: a space is added between operands when neither is a string."""
    found: list[str] = []
    for at, value in enumerate(values):
        if at and TypeForm.STRING not in {value.form, values[at - 1].form}:
            found.append(" ")
        found.append(format_plain(value))
    return "".join(found)


def format_values(template: str, values: Sequence[GoValue]) -> str:
    """Return the output of `printf`. A directive that does not fit its value prints an error text, as in Go."""
    left = list(values)
    found: list[str] = []
    at = 0
    for directive in _DIRECTIVE.finditer(template):
        found += (template[at : directive.start()], _format_directive(directive, left))
        at = directive.end()
    found.append(template[at:])
    if left:
        found.append(f"%!(EXTRA {', '.join(map(_format_with_type, left))})")
    return "".join(found)


class _Directive(NamedTuple):
    """A directive such as `%-5.2f`. *precision* is -1 if it has none."""

    verb: str
    flags: str
    width: int
    precision: int


def _format_directive(found: re.Match[str], left: list[GoValue]) -> str:
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
    return _format_value(left.pop(0), _Directive(verb, flags, int(width or 0), digits))


def _pad(text: str, directive: _Directive) -> str:
    if "-" in directive.flags:
        return text.ljust(directive.width)
    if "0" in directive.flags:
        sign = text[:1] if text[:1] in {"+", "-"} else ""
        return sign + text[len(sign) :].rjust(directive.width - len(sign), "0")
    return text.rjust(directive.width)


def _format_value(value: GoValue, directive: _Directive) -> str:
    """Format one value; the elements of a list or a map are formatted one by one."""
    # a precision of an integer counts digits, and the width is filled with blanks
    if value.form in _INTEGERS and directive.precision >= 0:
        directive = directive._replace(flags=directive.flags.replace("0", ""))
    if directive.verb == "T":
        return _pad(_format_type_name(value), directive)
    if value.form is TypeForm.SLICE:
        return f"[{' '.join(_format_value(one, directive) for one in list_elements(value))}]"
    if value.form is TypeForm.MAP:
        pairs = ((_format_value(key, directive), _format_value(one, directive)) for key, one in list_entries(value))
        return f"map[{' '.join(f'{key}:{one}' for key, one in pairs)}]"
    text = _format_scalar(value, directive.verb, directive.flags, directive.precision)
    if text is not None:
        return _pad(text, directive)
    if value.form is TypeForm.ANY:
        return f"%!{directive.verb}(<nil>)"
    plainly = _add_sign(value, _format_with_precision(value, directive.precision), directive.flags)
    return f"%!{directive.verb}({_format_type_name(value)}={_pad(plainly, directive)})"


def _format_scalar(value: GoValue, verb: str, flags: str, precision: int) -> str | None:
    """Return *value* formatted by *verb*, a letter such as `d`; None if the verb does not fit the type of the value."""
    if verb == "v":
        if "#" in flags:
            return _quote_if_string(value)
        flags = flags.replace("+", "")  # with %v, + concerns structs only
        return _add_sign(value, _format_with_precision(value, precision), flags)
    if value.form in _TEXTUAL:
        return _format_by_string_verb(format_plain(value), verb, flags, precision)
    if value.form is TypeForm.BOOLEAN and verb == "t":
        return format_plain(value)
    if value.form in _INTEGERS:
        return _format_by_integer_verb(value, verb, flags, precision)
    return _format_by_float_verb(value, verb, flags, precision) if value.form is TypeForm.FLOAT else None


def _format_with_precision(value: GoValue, precision: int) -> str:
    """Format *value* as `%v` does, without a plus sign.

    *precision* limits the characters of a string and the digits of a float, and is the minimum number of digits of an
    integer; -1 means none.
    """
    if precision >= 0 and value.form in _INTEGERS:
        return _format_integer(value.data, "d", precision)
    if precision >= 0 and value.form is TypeForm.FLOAT:
        return f"{float(value.data):.{precision}g}"
    text = format_plain(value)
    return text[:precision] if precision >= 0 and value.form in _TEXTUAL else text


def _format_integer(number: int, verb: str, precision: int, prefix: str = "") -> str:
    if precision == 0 and number == 0:
        return ""
    return f"{'-' if number < 0 else ''}{prefix}{f'{abs(number):{verb}}'.rjust(precision, '0')}"


def _add_sign(value: GoValue, text: str, flags: str) -> str:
    if value.form not in {*_INTEGERS, TypeForm.FLOAT} or not text or text.startswith("-"):
        return text
    return f"+{text}" if "+" in flags else f" {text}" if " " in flags else text


def _format_by_string_verb(text: str, verb: str, flags: str, precision: int) -> str | None:
    cut = text if precision < 0 else text[:precision]
    match verb:
        case "s":
            return cut
        case "q":
            return _quote(cut)
        case "x" | "X":
            data = encode_string(text) if precision < 0 else encode_string(text)[:precision]
            digits = data.hex(" ") if " " in flags else data.hex()
            return digits.upper() if verb == "X" else digits
        case _:
            return None


def _format_by_integer_verb(value: GoValue, verb: str, flags: str, precision: int) -> str | None:
    number: int = value.data
    if verb in {"d", "b", "o", "x", "X"}:
        prefix = {"x": "0x", "X": "0X", "o": "0", "b": "0b"}.get(verb, "") if "#" in flags else ""
        return _add_sign(value, _format_integer(number, verb, precision, prefix), flags)
    if verb in {"c", "U", "q"}:
        known = 0 <= number <= 0x10FFFF and not 0xD800 <= number <= 0xDFFF  # noqa: PLR2004 - Unicode
        character = chr(number) if known else "\ufffd"
        return f"U+{number:04X}" if verb == "U" else character if verb == "c" else _quote(character, "'")
    return None


def _format_by_float_verb(value: GoValue, verb: str, flags: str, precision: int) -> str | None:
    number = float(value.data)
    if verb in {"f", "F", "e", "E"}:
        return _add_sign(value, f"{number:.{6 if precision < 0 else precision}{verb}}", flags)
    if verb in {"g", "G"}:
        text = format_float(number) if precision < 0 else f"{number:.{precision}{verb}}"
        return _add_sign(value, text.upper() if verb == "G" else text, flags)
    return None


def _quote_if_string(value: GoValue) -> str:
    return _quote(value.data) if value.form is TypeForm.STRING else format_plain(value)


_ESCAPES: Final = {"\a": "a", "\b": "b", "\f": "f", "\n": "n", "\r": "r", "\t": "t", "\v": "v", "\\": "\\"}


def _quote(text: str, quote: str = '"') -> str:
    return quote + "".join(_escape(character, quote) for character in text) + quote


def _escape(character: str, quote: str) -> str:
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


def _format_with_type(value: GoValue) -> str:
    if value.form is TypeForm.ANY:
        return "<nil>"
    return f"{_format_type_name(value)}={format_plain(value)}"


def _format_type_name(value: GoValue) -> str:
    name = re.sub(r"\b(?:core|networking|meta)\.", "v1.", value.type.name)
    return "<nil>" if value.form is TypeForm.ANY else re.sub(r"\bany\b", "interface {}", name)
