"""The queries of the requirements, on rows whose ages and ends are chosen: what counts, and what does not."""

import pytest

from pabal.apps.rendering.store import figures, showing
from pabal.base.database import Database
from pabal.platform import tenants
from pabal.platform.tenants import Scope

HOUSE = Scope(None, None)


async def put(db: Database, state: str, *, hours: float, seconds: float = 20, count: int = 1) -> None:
    """Ended so many hours ago."""
    code = "'stalled'" if state == "failed" else "null"
    at = f"pabal.now() - interval '{hours} hours'"
    async with db.transaction() as tx:
        hq = await tenants.ensure_hq(tx)
        await tx.script(
            "insert into rendering.render (unit_id, state, composition_id, composition_name, gfx_data, content_hash,"
            " broadcast_date, requested_by, output_file_path, completed_at, updated_at, duration_seconds, error_code)"
            f" select {hq.id}, '{state}', 'c', 'C', '', n::text, pabal.now()::date, 'engine', '/nas', {at}, {at},"
            f" {seconds}, {code} from generate_series(1, {count}) n"
        )


async def read_rates(db: Database) -> tuple[float | None, float | None]:
    """For alerts, and for people."""
    async with db.transaction() as tx:
        return (await figures.read_success(tx)).percent, (await showing.read_figures(tx, HOUSE)).success_rate


async def read_averages(db: Database) -> tuple[float | None, float | None]:
    async with db.transaction() as tx:
        return await figures.read_average(tx), (await showing.read_figures(tx, HOUSE)).average_seconds


@pytest.mark.req("B-101")
async def test_the_success_rate_is_of_what_was_completed_or_failed_in_the_last_24_hours(db: Database):
    assert await read_rates(db) == (None, None)

    await put(db, "completed", hours=23.9, count=3)
    await put(db, "failed", hours=23.9)
    assert await read_rates(db) == (75, 75)

    await put(db, "cancelled", hours=1, count=5)
    assert await read_rates(db) == (75, 75)

    await put(db, "failed", hours=24.1, count=4)
    await put(db, "completed", hours=24.1, count=40)
    assert await read_rates(db) == (75, 75)


@pytest.mark.req("B-100")
async def test_the_average_is_of_the_last_hundred_completed_of_the_last_day(db: Database):
    await put(db, "completed", hours=25, seconds=7000)
    assert await read_averages(db) == (None, None)

    await put(db, "completed", hours=23, seconds=9000)
    await put(db, "failed", hours=0.5, seconds=9000)
    assert await read_averages(db) == (9000, 9000)

    await put(db, "completed", hours=1, seconds=90, count=100)
    assert await read_averages(db) == (90, 90)
