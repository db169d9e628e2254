"""The provider `azure-private-dns`."""

from __future__ import annotations

from typing import Final

from providers.azure.spec import build_spec

PROVIDER: Final = build_spec("azure-private-dns", private=True)
