"""Somebody is told: sends that failed, were cut, may not have arrived or were missed become notices of their unit."""

from collections.abc import Sequence
from datetime import timedelta

from pabal.apps.messaging import settings as own
from pabal.apps.messaging.model.deliveries import Delivery
from pabal.apps.messaging.model.reasons import explain_state
from pabal.apps.messaging.store.deliveries import show_deliveries
from pabal.base.database import Tx
from pabal.engine.reading import Fact
from pabal.platform import notifications, settings
from pabal.platform.language.pairs import Pair
from pabal.platform.notifications import Level, Notice

TROUBLES = ("delivery.failed", "delivery.partial", "delivery.unknown", "delivery.missed")
GATHERED = timedelta(hours=1)
NAME = "messaging.delivery_troubled"
_TITLES: dict[str, Pair] = {
    "failed": ("Not sent: {title}", "발송 실패: {title}"),
    "partial": ("Only a part was sent: {title}", "일부만 발송: {title}"),
    "unknown": ("May not have arrived: {title}", "도착 확인 필요: {title}"),
    "missed": ("Missed: {title}", "제때 못 보냄: {title}"),
}


async def tell_troubles(tx: Tx, facts: Sequence[Fact]) -> None:
    """Whoever works in the unit or above it hears of it, and so does the author, who is one of them.

    What somebody called off, or the schedule itself skips, is no trouble.
    """
    how = await settings.value(tx, own.TELL_TROUBLES)
    if how == "off":
        return
    ids = [int(fact.subject.partition(":")[2]) for fact in facts]
    for delivery in await show_deliveries(tx, None, ids):
        if delivery.state in _TITLES and delivery.cause != "test" and "dismissed_by" not in delivery.detail:
            await notifications.notify(tx, _notice(delivery, is_gathered=how == "gathered"))


def _notice(delivery: Delivery, *, is_gathered: bool) -> Notice:
    english, korean = explain_state(delivery.state, delivery.reason, bot=delivery.bot_name)
    return Notice(
        NAME,
        _TITLES[delivery.state],
        ("To “{room}”: " + _plain(english), "‘{room}’: " + _plain(korean)),
        {"title": delivery.schedule_title, "room": delivery.room_name},
        Level.ATTENTION,
        delivery.unit_id,
        delivery.about,
        f"/messages/deliveries/{delivery.id}",
        # together: the first says what, the list says which
        key=f"{NAME}:{delivery.unit_id}" if is_gathered else None,
        quiet=GATHERED,
    )


def _plain(text: str) -> str:
    """What a bot answered may hold braces."""
    return text.replace("{", "(").replace("}", ")")
