"""The flags of the providers `aws` and `aws-sd`."""

from __future__ import annotations

from typing import Final

from extdns.flags.flag import FlagSection, flag
from extdns.flags.kind import KEY_VALUE, NUMBER, make_choice_kind
from extdns.flags.unchecked_kinds import SIZE, TAG, TIME

_BOTH: Final = ("aws", "aws-sd")
_SD: Final = ("aws-sd",)


class AwsFlags(FlagSection, topic="Providers aws and aws-sd", providers=("aws",)):
    """The flags of the providers `aws` and `aws-sd`. An *aws_api_retries* of 0 means ten attempts."""

    aws_zone_type: str = flag(
        "manage only public or only private zones; empty is both",
        kind=make_choice_kind("a type of zone", "", "public", "private", metavar="TYPE"),
        providers=_BOTH,
    )
    aws_zone_tags: tuple[str, ...] = flag(
        "manage only zones with this tag; a zone must have all of them", default=(), kind=TAG
    )
    aws_zone_match_parent: bool = flag("also manage zones whose name is above a --domain-filter", default=False)
    aws_profile: tuple[str, ...] = flag(
        "profile of the shared AWS configuration, one for each account", default=(), metavar="NAME"
    )
    aws_assume_role: str = flag("IAM role to assume", metavar="ARN", providers=_BOTH)
    aws_assume_role_external_id: str = flag(
        "external id that the trust policy of --aws-assume-role requires",
        metavar="ID",
        providers=_BOTH,
        secret=True,
    )
    aws_assume_role_external_id_file: str = flag(
        "file with the external id, instead of --aws-assume-role-external-id",
        metavar="PATH",
        providers=_BOTH,
    )
    aws_batch_change_size: int = flag("maximum of changes in one request", default=1000, kind=SIZE)
    aws_batch_change_size_bytes: int = flag("maximum of bytes of values in one request", default=32000, kind=SIZE)
    aws_batch_change_size_values: int = flag("maximum of values in one request", default=1000, kind=SIZE)
    aws_batch_change_interval_s: float = flag(
        "minimum time between two batches; 0s uses only the API's own limits",
        default=0.0,
        compat=1.0,
        kind=TIME,
        in_plan=False,
    )
    aws_evaluate_target_health: bool = flag(
        "evaluate the health of alias targets, unless an annotation overrides it", default=True
    )
    aws_api_retries: int = flag(
        "maximum of attempts of one API call that reads, with aws-sd of any call; 0 is 10",
        default=3,
        kind=NUMBER,
        providers=_BOTH,
        in_plan=False,
    )
    aws_prefer_cname: bool = flag("write CNAMEs instead of aliases", default=False)
    aws_conditional_writes: bool = flag(
        "use conditional writes: change a record only if it is still what was read", default=True, compat=False
    )
    aws_sd_service_cleanup: bool = flag(
        "delete each Cloud Map service of ours with its last instance", default=False, providers=_SD
    )
    aws_sd_create_tag: tuple[tuple[str, str], ...] = flag(
        "tag put on Cloud Map services when they are created", default=(), kind=KEY_VALUE, providers=_SD
    )


SECTION: Final = AwsFlags
