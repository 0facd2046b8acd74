"""How often somebody may ask: a bucket of requests for each, filled again as time goes by; each server for itself."""

from collections import OrderedDict
from dataclasses import dataclass, field

from pabal.platform.web.problems import TooManyRequests

MOST_PRINCIPALS = 10_000


@dataclass
class Bucket:
    tokens: float
    at: float


@dataclass(frozen=True)
class Rate:
    """A bucket of `limit` requests for each principal, filled again over `seconds`."""

    limit: int = 1200
    seconds: int = 60
    _buckets: "OrderedDict[str, Bucket]" = field(default_factory=OrderedDict, repr=False)

    @property
    def policy(self) -> str:
        return f'"api";q={self.limit};w={self.seconds}'

    def take(self, principal: str, now: float, weight: float = 1.0) -> str:
        """What the RateLimit header says after this request; raises when there is nothing left."""
        bucket = self._buckets.pop(principal, None) or Bucket(self.limit, now)
        filled = min(float(self.limit), bucket.tokens + (now - bucket.at) * self.limit / self.seconds)
        self._buckets[principal] = Bucket(filled if filled < weight else filled - weight, now)
        while len(self._buckets) > MOST_PRINCIPALS:
            self._buckets.popitem(last=False)
        if filled < weight:
            raise SlowDown(retry_after=max(1, round((weight - filled) * self.seconds / self.limit)))
        left = filled - weight
        return f'"api";r={int(left)};t={round((self.limit - left) * self.seconds / self.limit)}'

    def give_back(self, principal: str, weight: float = 1.0) -> None:
        bucket = self._buckets.get(principal)
        if bucket is not None:
            bucket.tokens = min(float(self.limit), bucket.tokens + weight)


class SlowDown(TooManyRequests):
    """Too many requests in a short time. Wait as long as Retry-After says; nobody else is affected."""

    status = 429

    def __init__(self, *, retry_after: int) -> None:
        self.retry_after = retry_after
        super().__init__()
