"""A bot whose sends fail again and again gets nothing for a while, and is brought back by itself."""

from collections.abc import Collection

from pabal.apps.messaging import settings as own
from pabal.apps.messaging.model.bots import ABOUT, TOPIC, Bot
from pabal.apps.messaging.store import bots
from pabal.base.database import Database, Tx
from pabal.base.telemetry import declare, emit
from pabal.engine import facts
from pabal.platform import notifications, settings
from pabal.platform.actor import ENGINE
from pabal.platform.notifications import Level, Notice

# the reason of who was excluded for failing: a code, the sentence is made from it and the bot's failures
FAILED = "failed_in_a_row"

declare("bots.excluded", "Bots that get nothing for now", level=30)
declare("bots.included", "Bots brought back")


async def note_failure(tx: Tx, bot_id: int) -> None:
    """A send through it failed; the last of so many in a row excludes it, and says so to its administrators."""
    failures, is_excluded = await bots.add_failure(tx, bot_id)
    most = await settings.value(tx, own.EXCLUDE_AFTER)
    if is_excluded or failures < most:
        return
    bot = await bots.hold_bot(tx, bot_id)
    if bot is not None:
        await exclude(tx, bot, by=ENGINE.name, reason=FAILED)
        await notifications.notify(tx, _notice(bot))


async def note_success(tx: Tx, bot_ids: Collection[int]) -> None:
    if bot_ids:
        await bots.clear_failures(tx, bot_ids)


async def bring_back_once(database: Database) -> int:
    """Those excluded for failing have another chance after a while. Every server looks."""
    async with database.transaction() as tx:
        until = tx.now - await settings.value(tx, own.EXCLUDE_FOR)
        found = await bots.hold_excluded(tx, by=ENGINE.name, until=until)
        for bot_id in found:
            bot = await bots.hold_bot(tx, bot_id)
            if bot is not None:
                await include(tx, bot, by=ENGINE.name)
    return len(found)


async def exclude(tx: Tx, bot: Bot, *, by: str, reason: str) -> None:
    await bots.update_excluded(tx, bot.id, by=by, reason=reason)
    await facts.record(tx, "messaging.bot_excluded", *_about(bot), bot.unit_id)
    tx.hint(TOPIC)
    emit("bots.excluded", bot=bot.name, by=by, why=reason)


async def include(tx: Tx, bot: Bot, *, by: str) -> None:
    """Its failures are forgotten too: it must fail as often again."""
    await bots.update_included(tx, bot.id)
    await facts.record(tx, "messaging.bot_included", *_about(bot), bot.unit_id)
    tx.hint(TOPIC)
    emit("bots.included", bot=bot.name, by=by)


def _about(bot: Bot) -> tuple[str, dict[str, object]]:
    return f"{ABOUT}:{bot.id}", {"name": bot.name}


def _notice(bot: Bot) -> Notice:
    return Notice(
        name="messaging.bot_excluded",
        title=("Bot {bot} gets nothing for now", "봇 {bot}에 잠시 보내지 않습니다"),
        text=(
            "{failures} sends in a row failed. It is tried again by itself; look at the phone.",
            "{failures}번 이어서 실패했습니다. 나중에 저절로 다시 써 봅니다. 전화기를 확인하세요.",
        ),
        values={"bot": bot.name, "failures": bot.failures},
        level=Level.FAILURE,
        unit_id=bot.unit_id,
        about=f"{ABOUT}:{bot.id}",
        link="/messages/bots",
        key=f"messaging.bot_excluded:{bot.id}",
    )
