"""Client of the Tenantscope API."""

from .operations import Operations
from .packs import NotVerified, verify_pack
from .pages import Page, PositionFile
from .receipts import Difference, Verification, verify_receipts
from .requester import ApiError, Requester, RequestTimeout

__all__ = [
    "ApiError",
    "Client",
    "Difference",
    "NotVerified",
    "Page",
    "PositionFile",
    "RequestTimeout",
    "Verification",
    "verify_pack",
    "verify_receipts",
]


class Client(Operations):
    """The API with a key. Requests that fail on the network, with 429 or with 5xx are repeated."""

    def __init__(self, url: str, key: str, *, retry_seconds: float | None = None, user_agent: str = "tenantscope-python"):
        """url: base URL, which ends in /api/v1. retry_seconds: no attempt begins later; by default there is always a next one."""
        super().__init__(Requester(url, key, retry_seconds, user_agent))
