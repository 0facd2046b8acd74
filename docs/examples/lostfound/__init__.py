"""Lost and found: a whole app in small. SLICE is all that anybody outside may import."""

from datetime import timedelta
from pathlib import Path

from lostfound.model import AREA, STATUS
from lostfound.store import SQL, list_waiting
from pabal.base.database import Tx
from pabal.platform import alerts, settings
from pabal.platform.alerts import AlertRule, Level, Measure, Reading
from pabal.platform.overview import NavItem, Need
from pabal.platform.settings import Setting
from pabal.platform.slice import Demo, Slice
from pabal.platform.tenants import Scope

HERE = Path(__file__).parent

REMIND_AFTER = Setting(
    key="lostfound.remind_after",
    default=timedelta(days=7),
    least=timedelta(hours=1),
    most=timedelta(days=365),
    label=("Remind after", "다시 알리는 때"),
    help=("Older items wait for a person.", "이보다 오래된 물건은 사람을 기다립니다."),
    group=("Lost and found", "분실물"),
)


async def oldest(tx: Tx) -> list[Reading]:
    """Days that the oldest item of each unit has waited."""
    rows = await tx.rows(SQL.list_oldest)
    return [
        Reading((tx.now - row["found_at"]) / timedelta(days=1), f"unit:{row['unit_id']}", row["unit_id"])
        for row in rows
    ]


OLDEST = Measure("lostfound.oldest", ("Oldest item, in days", "가장 오래된 물건(일)"), oldest)
FORGOTTEN = AlertRule(
    name="lostfound.forgotten",
    label=("Forgotten items", "잊힌 물건"),
    measure=OLDEST,
    beyond="above",
    threshold=30.0,
    held_for=timedelta(minutes=1),
    level=Level.ATTENTION,
    advice=("Hand it to the police.", "경찰서에 맡기세요."),
    area=AREA,
    href="/lostfound",
)


async def list_needs(tx: Tx, scope: Scope) -> list[Need]:
    """What the front page shows under "needs you"."""
    until = tx.now - await settings.value(tx, REMIND_AFTER)
    return [
        Need(
            family="item",
            state=item.state,
            title=(item.what, item.what),
            reason=("Nobody has fetched it.", "아무도 찾아가지 않았습니다."),
            href="/lostfound",
            action=("Look", "보기"),
            at=item.found_at,
        )
        for item in await list_waiting(tx, scope, until, limit=5)
    ]


async def count_needs(tx: Tx, scope: Scope) -> int:
    """The number in the menu: only what waits for a person."""
    return len(await list_waiting(tx, scope, tx.now - await settings.value(tx, REMIND_AFTER)))


async def load_demo(tx: Tx) -> None:
    await tx.run(SQL.insert_demo, what="검은 우산", now=tx.now - timedelta(days=8))


async def clear_demo(tx: Tx) -> None:
    await tx.run(SQL.delete_demo)


SLICE = Slice(
    name=AREA,
    label=("Lost and found", "분실물"),
    icon="inbox",
    migrations=HERE / "migrations",
    settings=(REMIND_AFTER, *alerts.list_rule_settings([FORGOTTEN])),
    measures=(OLDEST,),
    alert_rules=(FORGOTTEN,),
    pages="lostfound.pages",
    templates=HERE / "templates",
    api="lostfound.api",
    nav=(NavItem("/lostfound", ("Items", "물건"), AREA, need=count_needs, goto="l"),),
    status=STATUS,
    needs=list_needs,
    link=lambda about: "/lostfound" if about.startswith("item:") else None,
    demo=Demo(load=load_demo, clear=clear_demo),
)
