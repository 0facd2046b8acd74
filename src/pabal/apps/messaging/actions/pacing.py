"""How long the scheduler rests when nothing wakes it: the seed's hours, on the operators' clock."""

from zoneinfo import ZoneInfo

from pabal.apps.messaging import settings
from pabal.apps.messaging.model.polling import Polling, parse_ranges
from pabal.base.database import Tx
from pabal.engine.ticks import Pace
from pabal.platform.settings import values

ZONE = ZoneInfo("Asia/Seoul")


async def read_pace(tx: Tx) -> Pace:
    wanted = (
        settings.POLL_BASE,
        settings.POLL_BUSY,
        settings.POLL_IDLE,
        settings.BUSY_HOURS,
        settings.IDLE_HOURS,
        settings.POLL_MAX,
    )
    said = await values(tx, wanted)
    polling = Polling(
        said[settings.POLL_BASE],
        said[settings.POLL_BUSY],
        said[settings.POLL_IDLE],
        parse_ranges(said[settings.BUSY_HOURS]),
        parse_ranges(said[settings.IDLE_HOURS]),
    )
    return Pace(polling.interval(tx.now.astimezone(ZONE)), said[settings.POLL_MAX])
