"""The syntax tree of a template. Every node has its *offset* in the text."""

from __future__ import annotations

from collections.abc import Mapping

from extdns.gotemplate.values import GoValue
from extdns.model.value import Value


class _Node(Value, frozen=True):
    offset: int


class DotNode(_Node, frozen=True):
    """The dot (`.`): the current value."""


class NilNode(_Node, frozen=True):
    """The literal `nil`."""


class LiteralNode(_Node, frozen=True):
    """A literal: a string, a number, a character, `true` or `false`."""

    value: GoValue


class FieldNode(_Node, frozen=True):
    """A field of the dot, as `.A.B`."""

    names: tuple[str, ...]


class VariableNode(_Node, frozen=True):
    """A variable or a field of it, as `$x.A.B`. The variable `$` is the data of the template."""

    name: str
    names: tuple[str, ...]


class FunctionNode(_Node, frozen=True):
    """The name of a function, as in `{{len .Labels}}`."""

    name: str


class ChainNode(_Node, frozen=True):
    """Fields of a result: `(…).A.B`, or `f.A.B` for a function `f`."""

    term: PipelineNode | FunctionNode
    names: tuple[str, ...]


Operand = DotNode | NilNode | LiteralNode | FieldNode | VariableNode | FunctionNode | ChainNode


class CommandNode(_Node, frozen=True):
    """A command of a pipeline: a function or field followed by its arguments, or a single operand."""

    operands: tuple[Operand | PipelineNode, ...]


class PipelineNode(_Node, frozen=True):
    """Commands separated by `|`, and the variables that the result is assigned to.

    Attributes:
        assigns: whether existing variables are set (`=`); if not, new ones are declared (`:=`).
    """

    commands: tuple[CommandNode, ...]
    variables: tuple[str, ...] = ()
    assigns: bool = False


class TextNode(_Node, frozen=True):
    """Text outside of actions, which is copied to the output."""

    text: str


class ActionNode(_Node, frozen=True):
    """An action that prints the value of a pipeline, as `{{pipeline}}`."""

    pipeline: PipelineNode


class IfNode(_Node, frozen=True):
    """An `{{if}}` or `{{with}}` block. *sets_dot* is true for `{{with}}`, which sets the dot for *then_block*."""

    pipeline: PipelineNode
    then_block: Block
    else_block: Block
    sets_dot: bool = False


class RangeNode(_Node, frozen=True):
    """A `{{range}}` block."""

    pipeline: PipelineNode
    body: Block
    else_block: Block


class IncludeNode(_Node, frozen=True):
    """A call of a named template, as `{{template "name" pipeline}}`."""

    name: str
    pipeline: PipelineNode | None


class JumpNode(_Node, frozen=True):
    """The statement `{{continue}}` if *is_continue*, else `{{break}}`."""

    is_continue: bool


Node = TextNode | ActionNode | IfNode | RangeNode | IncludeNode | JumpNode
Block = tuple[Node, ...]


class TemplateTree(Value, frozen=True):
    """A parsed template: its main block, and the templates that it defines, by name."""

    main: Block
    defined: Mapping[str, Block]
