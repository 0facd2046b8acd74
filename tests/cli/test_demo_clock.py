"""`pabal clock advance`: only a clock that was made movable moves."""

from datetime import datetime, timedelta

from pabal.base.database import Database
from tests.support.cli import Cli


async def test_a_movable_clock_is_moved_for_everybody(db: Database, cli: Cli) -> None:
    async with db.transaction() as tx:
        before = tx.now

    told = cli("clock", "advance", "36h", "-o", "json").json

    assert datetime.fromisoformat(told["now"]) > before + timedelta(hours=36)
    async with db.transaction() as tx:
        assert tx.now > before + timedelta(hours=36)


def test_a_real_clock_is_refused(cli: Cli, empty_url: str) -> None:
    cli("db", "migrate", PABAL_DATABASE_URL=empty_url)

    told = cli("clock", "advance", "1h", PABAL_DATABASE_URL=empty_url)

    assert told.code == 4
    assert "clock_fixed" in told.err
