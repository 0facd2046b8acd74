"""What `/health` says of the relay, under the names of the requirements."""

from typing import Any

from pabal.apps.relay.store import messages
from pabal.base.database import Tx
from pabal.platform.tenants import Scope


async def read_health(tx: Tx) -> dict[str, Any]:
    """`oldestUndelivered` is an age in seconds; null when nothing waits."""
    queue = await messages.read_queue(tx, Scope(None, None))
    age = None if queue.oldest_seconds is None else round(queue.oldest_seconds, 3)
    return {"queueDepth": queue.depth, "oldestUndelivered": age, "activeAccounts": queue.accounts}
