"""What a person set for Route 53."""

from __future__ import annotations

from dataclasses import dataclass, field

from extdns.model.request import Heard, unheard
from providers.aws.adjust import AliasSettings
from providers.aws.selection import Selection
from providers.remote.allowance import Rate
from providers.remote.writing import Writing


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """How one account is reached.

    Attributes:
        profile: of the shared configuration, "" for the SDK's default chain.
        role: ARN of a role to assume with the credentials found so, "" for none.
        external_id: what the role's trust policy asks for, "" for nothing; a secret.
        heard: is told of each request.
    """

    profile: str = ""
    role: str = ""
    external_id: str = field(default="", repr=False)
    heard: Heard = field(default=unheard, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class AwsSettings:
    """Settings of the provider.

    Attributes:
        accounts: at least one.
        conditional: whether an update asks what stood before.
        attempts: how often a read is tried; 0 for as often as is sensible.
        page_items: record sets a page, 300 at most.
        max_changes: elements of a batch.
        max_bytes: characters of values in a batch.
        max_values: values in a batch.
        pause_s: from one batch of an account to the next, 0 for none.
        rate: calls of one account.
        writing: what bounds a batch.
    """

    accounts: tuple[Access, ...] = (Access(),)
    selection: Selection = Selection()  # noqa: RUF009 - frozen
    aliases: AliasSettings = AliasSettings()  # noqa: RUF009 - frozen
    conditional: bool = True
    attempts: int = 3
    page_items: int = 300
    max_changes: int = 1000
    max_bytes: int = 32000
    max_values: int = 1000
    pause_s: float = 0.0
    rate: Rate = Rate()  # noqa: RUF009 - frozen
    writing: Writing = Writing()  # noqa: RUF009 - frozen

    @property
    def by_name(self) -> dict[str, Access]:
        """The accounts by the name that their zones bear: the profile, "" if there is only one."""
        named = len(self.accounts) > 1
        return {access.profile if named else "": access for access in self.accounts}
