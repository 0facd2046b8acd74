"""A month of deliveries that was put away, by the very job that does it."""

from datetime import timedelta

from pabal.apps.messaging.jobs.archive import Archiver
from pabal.platform.services import Services
from tests.apps.messaging.history import add_deliveries, ended
from tests.apps.messaging.jobs.test_archive import a_job
from tests.support.messaging import SEOUL


async def put_away(services: Services, *schedule_ids: int, months: int = 1) -> list[str]:
    """One send of each schedule in each month; the newest month first, the youngest of them two months ago."""
    async with services.database.transaction() as tx:
        day = (tx.now - timedelta(days=62)).astimezone(SEOUL).replace(day=9)
    made = []
    for _ in range(months):
        for schedule_id in schedule_ids:
            await add_deliveries(services.database, schedule_id, [ended("sent", day)])
        made.append(f"{day:%Y-%m}")
        day = (day.replace(day=1) - timedelta(days=1)).replace(day=9)
    await Archiver(services).run(a_job())
    return made
