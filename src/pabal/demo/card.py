"""The demo's card on the front page: how often a kettle was to boil today, and how the last twenty times went."""

from datetime import datetime, time
from zoneinfo import ZoneInfo

from pabal.base.database import Tx
from pabal.demo.kettle import list_kettles
from pabal.engine import listing
from pabal.engine.listing.occurrences import Wanted
from pabal.platform.overview import Card
from pabal.platform.tenants import Scope

ZONE = ZoneInfo("Asia/Seoul")
BARS = {"done": "7", "failed": "x", "missed": "m", "enqueued": "r"}


async def show_card(tx: Tx, scope: Scope) -> Card | None:
    """None while the demo is not there, or none of it is in this scope."""
    if not any(scope.holds(kettle.unit_id) for kettle in await list_kettles(tx)):
        return None
    midnight = datetime.combine(tx.now.astimezone(ZONE).date(), time(0), ZONE)
    wanted = Wanted(units=scope.listed, kind="demo.boil", since=midnight, until=tx.now)
    latest = (await listing.list_occurrences(tx, wanted, limit=20)).items
    count = await listing.count_occurrences(tx, wanted)
    spilled = Wanted(units=scope.listed, kind="demo.spill", states=("failed",), since=midnight, until=tx.now)
    bad = await listing.count_occurrences(tx, spilled)
    coming = await listing.list_schedules(tx, listing.schedules.Wanted(units=scope.listed, kind="demo.boil"), limit=1)
    return Card(
        value=count,
        word=("boiled", "끓임"),
        bars="".join(BARS.get(one.state, "-") for one in reversed(latest)),
        look="fail" if bad else "good",
        trouble=(f"{bad} spilled over", f"넘침 {bad}"),
        next_at=coming.items[0].next_at if coming.items else None,
        href="/machines/kettle",
    )
