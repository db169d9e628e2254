"""The syntax tree of a template. Every node has its *offset* in the text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from extdns.gotemplate.values import GoValue


@dataclass(frozen=True, slots=True)
class DotNode:
    """The dot (`.`): the current value."""

    offset: int


@dataclass(frozen=True, slots=True)
class NilNode:
    """The literal `nil`."""

    offset: int


@dataclass(frozen=True, slots=True)
class LiteralNode:
    """A literal: a string, a number, a character, `true` or `false`."""

    offset: int
    value: GoValue


@dataclass(frozen=True, slots=True)
class FieldNode:
    """A field of the dot, as `.A.B`."""

    offset: int
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class VariableNode:
    """A variable or a field of it, as `$x.A.B`. The variable `$` is the data of the template."""

    offset: int
    name: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FunctionNode:
    """The name of a function, as in `{{len .Labels}}`."""

    offset: int
    name: str


@dataclass(frozen=True, slots=True)
class ChainNode:
    """Fields of a result: `(…).A.B`, or `f.A.B` for a function `f`."""

    offset: int
    term: PipelineNode | FunctionNode
    names: tuple[str, ...]


Operand = DotNode | NilNode | LiteralNode | FieldNode | VariableNode | FunctionNode | ChainNode


@dataclass(frozen=True, slots=True)
class CommandNode:
    """A command of a pipeline: a function or field followed by its arguments, or a single operand."""

    offset: int
    operands: tuple[Operand | PipelineNode, ...]


@dataclass(frozen=True, slots=True)
class PipelineNode:
    """Commands separated by `|`, and the variables that the result is assigned to.

    Attributes:
        assigns: whether existing variables are set (`=`); if not, new ones are declared (`:=`).
    """

    offset: int
    commands: tuple[CommandNode, ...]
    variables: tuple[str, ...] = ()
    assigns: bool = False


@dataclass(frozen=True, slots=True)
class TextNode:
    """Text outside of actions, which is copied to the output."""

    offset: int
    text: str


@dataclass(frozen=True, slots=True)
class ActionNode:
    """An action that prints the value of a pipeline, as `{{pipeline}}`."""

    offset: int
    pipeline: PipelineNode


@dataclass(frozen=True, slots=True)
class IfNode:
    """An `{{if}}` or `{{with}}` block. *sets_dot* is true for `{{with}}`, which sets the dot for *then_block*."""

    offset: int
    pipeline: PipelineNode
    then_block: Block
    else_block: Block
    sets_dot: bool = False


@dataclass(frozen=True, slots=True)
class RangeNode:
    """A `{{range}}` block."""

    offset: int
    pipeline: PipelineNode
    body: Block
    else_block: Block


@dataclass(frozen=True, slots=True)
class IncludeNode:
    """A call of a named template, as `{{template "name" pipeline}}`."""

    offset: int
    name: str
    pipeline: PipelineNode | None


@dataclass(frozen=True, slots=True)
class JumpNode:
    """The statement `{{continue}}` if *is_continue*, else `{{break}}`."""

    offset: int
    is_continue: bool


Node = TextNode | ActionNode | IfNode | RangeNode | IncludeNode | JumpNode
Block = tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class TemplateTree:
    """A parsed template: its main block, and the templates that it defines, by name."""

    main: Block
    defined: Mapping[str, Block]
