"""Error codes of AWS that tell neither of what was asked nor of rights (API reference, "Common errors")."""

from __future__ import annotations

from typing import Final

STILL_BUSY: Final = "PriorRequestNotComplete"
"""Another change of the same zone is under way."""

LATER: Final = frozenset(
    {
        "Throttling",
        "ThrottlingException",
        "ThrottledException",
        "RequestThrottled",
        "RequestThrottledException",
        "RequestLimitExceeded",
        "TooManyRequestsException",
        STILL_BUSY,
        "ServiceUnavailable",
        "InternalFailure",
        "InternalError",
        "RequestTimeout",
    }
)
"""Throttled, busy or failing: nothing was done, and it may go well later."""

CREDENTIALS: Final = frozenset(
    {
        "ExpiredToken",
        "ExpiredTokenException",
        "IncompleteSignature",
        "InvalidAccessKeyId",
        "InvalidClientTokenId",
        "InvalidIdentityToken",
        "InvalidSignatureException",
        "MissingAuthenticationToken",
        "OptInRequired",
        "RequestExpired",
        "SignatureDoesNotMatch",
        "UnrecognizedClientException",
    }
)
"""The caller is not known, or not any more."""
