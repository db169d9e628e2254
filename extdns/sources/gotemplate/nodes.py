"""What a template says, as a tree. Every node knows its *offset* in the text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from extdns.sources.gotemplate.values import Value


@dataclass(frozen=True, slots=True)
class Dot:
    """`.`."""

    offset: int


@dataclass(frozen=True, slots=True)
class Nil:
    """`nil`."""

    offset: int


@dataclass(frozen=True, slots=True)
class Literal:
    """A string, a number, a character, `true` or `false`."""

    offset: int
    value: Value


@dataclass(frozen=True, slots=True)
class Field:
    """`.A.B`."""

    offset: int
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Variable:
    """`$x.A.B`; the name of the first variable is `$`."""

    offset: int
    name: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Function:
    """The name of a function."""

    offset: int
    name: str


@dataclass(frozen=True, slots=True)
class Chain:
    """`(…).A.B`, or a function's `f.A.B`."""

    offset: int
    term: Pipeline | Function
    names: tuple[str, ...]


Operand = Dot | Nil | Literal | Field | Variable | Function | Chain


@dataclass(frozen=True, slots=True)
class Command:
    """Operands side by side: a function or field with its arguments, or one operand alone."""

    offset: int
    operands: tuple[Operand | Pipeline, ...]


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Commands with `|` between them, and the variables that take the result.

    Attributes:
        assigns: the variables exist (`=`); else they are new (`:=`).
    """

    offset: int
    commands: tuple[Command, ...]
    variables: tuple[str, ...] = ()
    assigns: bool = False


@dataclass(frozen=True, slots=True)
class Text:
    """What is copied."""

    offset: int
    text: str


@dataclass(frozen=True, slots=True)
class Action:
    """`{{pipeline}}`."""

    offset: int
    pipeline: Pipeline


@dataclass(frozen=True, slots=True)
class If:
    """`{{if}}`; *dot* for `{{with}}`, which sets the dot for *then*."""

    offset: int
    pipeline: Pipeline
    then: Block
    otherwise: Block
    dot: bool = False


@dataclass(frozen=True, slots=True)
class Range:
    """`{{range}}`."""

    offset: int
    pipeline: Pipeline
    body: Block
    otherwise: Block


@dataclass(frozen=True, slots=True)
class Include:
    """`{{template "name" pipeline}}`."""

    offset: int
    name: str
    pipeline: Pipeline | None


@dataclass(frozen=True, slots=True)
class Leap:
    """`{{break}}`, or `{{continue}}` if it *continues*."""

    offset: int
    continues: bool


Node = Text | Action | If | Range | Include | Leap
Block = tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Tree:
    """A template: what is carried out, and the templates it defines by name."""

    main: Block
    defined: Mapping[str, Block]
