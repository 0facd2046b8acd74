"""The demo's events: teas that are ordered, and a kitchen that takes them; one is ordered without a cup."""

from pabal.base.database import Tx
from pabal.base.errors import PabalError
from pabal.demo.kettle import Kettle
from pabal.platform import events
from pabal.platform.actor import ENGINE
from pabal.platform.events import Events, NewEvent, PublishedEvent
from pabal.platform.tenants import visible_to

KITCHEN = "kitchen"
TEAS = ("녹차", "보리차", "유자차", "홍차", "대추차")

orders = Events()


class NoCup(PabalError, code="no_cup"):
    """There is no cup for this tea."""


@orders.subscriber("tea.ordered", group=KITCHEN, tries=1, from_start=True)
async def brew(_tx: Tx, event: PublishedEvent) -> None:
    if not event.data.get("cups"):
        raise NoCup(str(event.data.get("tea", "")))


async def order_teas(tx: Tx, kettles: list[Kettle]) -> None:
    made = [
        NewEvent("tea.ordered", {"tea": tea, "cups": number}, f"demo-{number}", f"table:{number}", kettle.unit_id)
        for number, (tea, kettle) in enumerate(zip(TEAS, kettles * len(TEAS), strict=False))
    ]
    await events.append(tx, made, source="demo")


async def clear_orders(tx: Tx) -> None:
    """What waits for somebody; the log is history."""
    for letter in (await events.list_dead(tx, await visible_to(tx, ENGINE), consumer=KITCHEN)).items:
        await events.discard(tx, ENGINE, letter.id)
