"""Devices are approved, bots set up and excluded: by a person, or by their failures until they are brought back."""

from collections.abc import Collection, Sequence
from typing import Any

from pabal.apps.messaging import asking
from pabal.apps.messaging import settings as own
from pabal.apps.messaging.errors import (
    BadBotSecret,
    BadExclusion,
    BotExcluded,
    BotIncluded,
    BotNotFound,
    DeviceMoved,
    DeviceNotReady,
    SchedulesDepend,
)
from pabal.apps.messaging.machine import DEVICE, DeviceEvent
from pabal.apps.messaging.model.bots import ABOUT, DEVICE_ABOUT, TOPIC, Bot, Device, route_of
from pabal.apps.messaging.model.content import ImageMode
from pabal.apps.messaging.model.reasons import explain_unproven
from pabal.apps.messaging.store import attention, bots
from pabal.apps.messaging.store.rooms import list_dependants
from pabal.base.database import Database, Tx
from pabal.base.telemetry import declare, emit
from pabal.engine import facts
from pabal.engine.transitions import transition
from pabal.platform import approvals, audit, notifications, settings, tenants
from pabal.platform.actor import ENGINE, Actor, Right
from pabal.platform.approvals import Verdict
from pabal.platform.language.pairs import Pair
from pabal.platform.notifications import Level, Notice
from pabal.platform.resources import KEPT, Kept, chosen
from pabal.platform.secrets import Vault
from pabal.platform.tenants import Scope, UnitNotFound, visible_to

AREA = "messaging"
SHORTEST_SECRET, LONGEST = 8, 200
MOST_NETWORKS = 20


async def decide(tx: Tx, actor: Actor, device_id: int, event: DeviceEvent, *, reason: str | None = None) -> Device:
    """What each verb below does, by its event: the door all machines share comes in here."""
    match event:
        case DeviceEvent.APPROVE:
            return await approve(tx, actor, device_id, reason=reason)
        case DeviceEvent.DENY:
            return await deny(tx, actor, device_id, reason=reason)
    return await _decide(tx, actor, device_id, event, reason)


async def approve(
    tx: Tx, actor: Actor, device_id: int, *, network: str | None = None, reason: str | None = None
) -> Device:
    """For where it called from last; where it was approved before, it stays so. `network`: the one somebody saw."""
    device, scope = await _find(tx, actor, device_id)
    if network is not None and network != device.network:
        raise DeviceMoved(device.network)
    known = [each for each in device.networks if each != device.network] if device.is_asking else []
    # A device that never called is approved for the place it will call from.
    await _set_networks(tx, device, [*known[1 - MOST_NETWORKS :], *filter(None, [device.network])])
    if device.is_asking:
        await _answered(tx, actor, device, Verdict.APPROVE, reason)
        return await _decided(tx, actor, device, scope, "approve")
    return await _decide(tx, actor, device_id, DeviceEvent.APPROVE, reason)


async def deny(tx: Tx, actor: Actor, device_id: int, *, reason: str | None = None) -> Device:
    """One that asks from a new address stays what it is where it was approved."""
    device, scope = await _find(tx, actor, device_id)
    if device.is_asking:
        await _set_networks(tx, device, device.networks)
        await _answered(tx, actor, device, Verdict.REJECT, reason)
        return await _decided(tx, actor, device, scope, "deny")
    return await _decide(tx, actor, device_id, DeviceEvent.DENY, reason)


async def revoke(tx: Tx, actor: Actor, device_id: int) -> Device:
    return await decide(tx, actor, device_id, DeviceEvent.REVOKE)


async def block(tx: Tx, actor: Actor, device_id: int) -> Device:
    """It may not even connect any more."""
    return await decide(tx, actor, device_id, DeviceEvent.BLOCK)


async def unblock(tx: Tx, actor: Actor, device_id: int) -> Device:
    """It may connect again, and waits for a decision as if it were new."""
    return await decide(tx, actor, device_id, DeviceEvent.UNBLOCK)


async def choose(tx: Tx, actor: Actor, device_id: int) -> Device:
    """This phone is to send for its bot; the one that does stays connected, in reserve."""
    device, scope = await _find(tx, actor, device_id)
    if device.role is None:
        raise DeviceNotReady(device.bot_name)
    if device.role == "sends":
        return device
    await bots.update_chosen(tx, device_id)
    tx.hint(TOPIC)
    about, after = f"{DEVICE_ABOUT}:{device.id}", {"bot": device.bot_name}
    await audit.record(tx, actor, "messaging.device_choose", about, unit_id=device.unit_id, after=after)
    return await bots.get_device(tx, scope, device_id)


async def exclude(tx: Tx, actor: Actor, bot_id: int, reason: str) -> Bot:
    """It gets nothing until somebody includes it again; what a person excluded, only a person brings back."""
    bot, scope = await _hold(tx, actor, bot_id)
    said = " ".join(reason.split())
    if not 1 <= len(said) <= LONGEST or not said.isprintable():
        raise BadExclusion(said[:LONGEST])
    if bot.excluded_at is not None:
        raise BotExcluded(bot.name)
    await exclude_bot(tx, bot, by=actor.name, reason=said)
    await _audit(tx, actor, "exclude", bot, after={"reason": said})
    return await bots.get_bot(tx, scope, bot_id)


async def include(tx: Tx, actor: Actor, bot_id: int) -> Bot:
    bot, scope = await _hold(tx, actor, bot_id)
    if bot.excluded_at is None:
        raise BotIncluded(bot.name)
    await include_bot(tx, bot, by=actor.name)
    await _audit(tx, actor, "include", bot, before={"reason": bot.excluded_reason})
    return await bots.get_bot(tx, scope, bot_id)


async def edit(
    tx: Tx,
    actor: Actor,
    bot_id: int,
    *,
    image_mode: ImageMode | None = None,
    unit_id: int | Kept | None = KEPT,
    confirm: bool = False,
) -> Bot:
    """Without a unit it is the house's. Moved away from schedules that send by it, that must be confirmed."""
    bot, scope = await _hold(tx, actor, bot_id)
    images, owner = image_mode or bot.image_mode, chosen(unit_id, bot.unit_id)
    if not scope.holds(owner):
        raise UnitNotFound(str(owner))
    if owner is not None:
        await tenants.get_unit(tx, owner)
    if owner != bot.unit_id and not confirm:
        await _check_schedules(tx, scope, bot_id, owner)
    await bots.update_bot(tx, bot_id, image_mode=images, unit_id=owner)
    await approvals.rehome(tx, asking.DEVICE, f"bot:{bot_id}", owner)
    before = {"image_mode": bot.image_mode.value, "unit_id": bot.unit_id}
    after = {"image_mode": images.value, "unit_id": owner}
    told = {"name": bot.name, **after}
    await facts.record(tx, "messaging.bot_edited", f"{ABOUT}:{bot_id}", told, owner or bot.unit_id)
    await _audit(tx, actor, "edit", bot, before=before, after=after)
    return await bots.get_bot(tx, scope, bot_id)


async def _check_schedules(tx: Tx, scope: Scope, bot_id: int, unit_id: int | None) -> None:
    """Whoever has a schedule that sends by it is of another unit then, and does not see its devices any more."""
    near = set() if unit_id is None else {unit.id for unit in await tenants.list_path(tx, unit_id)}
    near |= set(await tenants.list_subtree(tx, unit_id)) if unit_id is not None else set()
    dependants = await list_dependants(tx, scope, bot_id=bot_id)
    lost = [one for one in dependants if unit_id is not None and one.unit_id not in near]
    if lost:
        raise SchedulesDepend(lost)


async def set_secret(tx: Tx, actor: Actor, bot_id: int, *, vault: Vault, secret: str = "", salt: str = "") -> Bot:
    """From now on its devices must sign with it; empty, they need not any more. Nobody is ever shown it again."""
    bot, scope = await _hold(tx, actor, bot_id)
    if (secret or salt) and (not SHORTEST_SECRET <= len(secret) <= LONGEST or len(salt) > LONGEST):
        raise BadBotSecret
    sealed = (vault.seal(secret), vault.seal(salt)) if secret else (None, None)
    await bots.update_secret(tx, bot_id, secret=sealed[0], salt=sealed[1])
    tx.hint(TOPIC)
    await _audit(
        tx, actor, "set_secret", bot, before={"signs": bot.has_secret}, after={"signs": bool(secret), "at": str(tx.now)}
    )
    return await bots.get_bot(tx, scope, bot_id)


async def _decide(tx: Tx, actor: Actor, device_id: int, event: DeviceEvent, reason: str | None) -> Device:
    device, scope = await _find(tx, actor, device_id)
    await transition(tx, DEVICE, device_id, event, actor=actor.name, reason=reason)
    return await _decided(tx, actor, device, scope, event)


async def _answered(tx: Tx, actor: Actor, device: Device, verdict: Verdict, reason: str | None) -> None:
    """About a new network: the device itself moves nowhere."""
    await approvals.close(tx, asking.DEVICE, [device.id], verdict, actor=actor.name, reason=reason)


async def _decided(tx: Tx, actor: Actor, device: Device, scope: Scope, verb: str) -> Device:
    await bots.update_decided(tx, device.id, by=actor.name)
    tx.hint(TOPIC)
    done = await bots.get_device(tx, scope, device.id)
    await audit.record(
        tx,
        actor,
        f"messaging.device_{verb}",
        f"{DEVICE_ABOUT}:{device.id}",
        unit_id=device.unit_id,
        before={"state": device.state, "networks": device.networks},
        after={"state": done.state, "networks": done.networks, "bot": device.bot_name},
    )
    return done


async def _find(tx: Tx, actor: Actor, device_id: int) -> tuple[Device, Scope]:
    actor.require(Right.MANAGE, AREA)
    scope = await visible_to(tx, actor)
    return await bots.get_device(tx, scope, device_id), scope


async def _set_networks(tx: Tx, device: Device, networks: Sequence[str]) -> None:
    if not await bots.update_networks(tx, device, networks):
        raise DeviceMoved(device.network)


async def _hold(tx: Tx, actor: Actor, bot_id: int) -> tuple[Bot, Scope]:
    """Only who sees its unit may change a bot, however many use it."""
    actor.require(Right.MANAGE, AREA)
    scope = await visible_to(tx, actor)
    bot = await bots.hold_bot(tx, bot_id)
    if bot is None or not scope.holds(bot.unit_id):
        raise BotNotFound(str(bot_id))
    return bot, scope


async def _audit(
    tx: Tx,
    actor: Actor,
    verb: str,
    bot: Bot,
    *,
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
) -> None:
    about, shown = f"{ABOUT}:{bot.id}", {"bot": bot.name, **(after or {})}
    await audit.record(tx, actor, f"messaging.bot_{verb}", about, unit_id=bot.unit_id, before=before, after=shown)


async def list_absences(tx: Tx) -> dict[str, Pair]:
    """Why nobody holds a bot's route although its phone is connected, by route."""
    found = {route_of(name): explain_unproven(name) for name in await attention.list_unproven(tx)}
    held = await bots.list_held(tx, found)
    return {route: said for route, said in found.items() if route not in held}


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
        await exclude_bot(tx, bot, by=ENGINE.name, reason=FAILED)
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
                await include_bot(tx, bot, by=ENGINE.name)
    return len(found)


async def exclude_bot(tx: Tx, bot: Bot, *, by: str, reason: str) -> None:
    await bots.update_excluded(tx, bot.id, by=by, reason=reason)
    await facts.record(tx, "messaging.bot_excluded", *_about(bot), bot.unit_id)
    tx.hint(TOPIC)
    emit("bots.excluded", bot=bot.name, by=by, why=reason)


async def include_bot(tx: Tx, bot: Bot, *, by: str) -> None:
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
