"""What the descriptions do where a verb of the platform is called otherwise."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from pabal.base.database import Tx
from pabal.engine import ids
from pabal.engine.listing import OccurrenceLine, ScheduleLine
from pabal.platform import alerts, approvals, auth, notifications, operating, settings, tenants
from pabal.platform.actor import Actor, Right, Role
from pabal.platform.alerts import AlertRule
from pabal.platform.approvals import Approvables, Seen, Verdict
from pabal.platform.auth import MadeToken, NewToken, NewUser, User
from pabal.platform.controls import Owners
from pabal.platform.notifications import Channel, ChannelForm
from pabal.platform.secrets import Vault
from pabal.platform.settings import Catalogue, Listed
from pabal.platform.tenants import Level, Unit, visible_to
from pabal.resources.rows import find_occurrence, get_schedule, get_unit


async def add_unit(tx: Tx, actor: Actor, *, parent_id: int, level: str, name: str) -> Unit:
    return await tenants.add_unit(tx, actor, parent_id=parent_id, level=Level(level), name=name)


async def edit_unit(
    tx: Tx, actor: Actor, unit_id: int, *, name: str | None = None, parent_id: int | None = None
) -> Unit:
    actor.require(Right.MANAGE, tenants.AREA)
    unit = await get_unit(tx, await visible_to(tx, actor), unit_id)
    if name is not None:
        unit = await tenants.rename_unit(tx, actor, unit_id, name)
    if parent_id is not None:
        unit = await tenants.move_unit(tx, actor, unit_id, parent_id=parent_id)
    return unit


async def remove_unit(tx: Tx, actor: Actor, unit_id: int) -> Unit:
    """As it was."""
    actor.require(Right.MANAGE, tenants.AREA)
    unit = await get_unit(tx, await visible_to(tx, actor), unit_id)
    await tenants.remove_unit(tx, actor, unit_id)
    return unit


async def add_user(tx: Tx, actor: Actor, *, login: str, name: str, unit_id: int, role: Role) -> User:
    return await auth.add_user(tx, actor, NewUser(login, name, unit_id, role))


async def make_token(  # long: each thing one may say of a token
    tx: Tx, actor: Actor, *, name: str, unit_id: int, role: Role, scopes: Sequence[str], expires_at: datetime
) -> MadeToken:
    return await auth.make_token(tx, actor, NewToken(name, unit_id, role, tuple(scopes), expires_at))


async def rotate_token(
    tx: Tx, actor: Actor, token_id: int, *, expires_at: datetime | None = None, overlap_seconds: int = 86_400
) -> MadeToken:
    overlap = timedelta(seconds=overlap_seconds)
    return await auth.rotate_token(tx, actor, token_id, expires_at=expires_at, overlap=overlap)


async def add_channel(tx: Tx, actor: Actor, *, vault: Vault, unit_id: int | None = None, **form: Any) -> Channel:
    own = (await visible_to(tx, actor)).unit_id
    return await notifications.add_channel(tx, actor, vault, _form(form), unit_id=unit_id or own or 0)


async def edit_channel(tx: Tx, actor: Actor, channel_id: int, *, vault: Vault, **changed: Any) -> Channel:
    actor.require(Right.MANAGE, notifications.AREA)
    before = await notifications.get_channel(tx, actor, channel_id)
    kept = {name: getattr(before, name) for name in _CHANNEL_FIELDS}
    form = _form({**kept, "address": before.address or "", **changed})
    return await notifications.edit_channel(tx, actor, vault, channel_id, form)


_CHANNEL_FIELDS = ("kind", "name", "chat_id", "lang", "least_level", "wants", "is_active", "is_two_way")


async def rotate_secret(
    tx: Tx, actor: Actor, channel_id: int, *, vault: Vault, overlap_seconds: int = 86_400
) -> Channel:
    overlap = timedelta(seconds=overlap_seconds)
    return await notifications.rotate_secret(tx, actor, channel_id, vault=vault, overlap=overlap)


async def replay_channel(
    tx: Tx, actor: Actor, channel_id: int, *, delivery: str = "", since: datetime | None = None, also_sent: bool = False
) -> list[int]:
    if since is not None:
        return await notifications.replay_since(tx, actor, channel_id, since, also_sent=also_sent)
    delivery_id = min(ids.read("dlv", delivery), 2**63 - 1)
    return [await notifications.replay_delivery(tx, actor, channel_id, delivery_id)]


def _form(given: Mapping[str, Any]) -> ChannelForm:
    level = notifications.Level(given.get("least_level", "attention"))
    return ChannelForm(**{**given, "least_level": level, "wants": tuple(given.get("wants", ()))})


async def remove_channel(tx: Tx, actor: Actor, channel_id: int) -> Channel:
    """As it was."""
    actor.require(Right.MANAGE, notifications.AREA)
    channel = await notifications.get_channel(tx, actor, channel_id)
    await notifications.remove_channel(tx, actor, channel_id)
    return channel


async def pause_schedule(tx: Tx, actor: Actor, schedule_id: int, *, owners: Owners, dry_run: bool) -> ScheduleLine:
    await operating.pause_schedule(tx, actor, schedule_id, owners=owners, dry_run=dry_run)
    return await get_schedule(tx, await visible_to(tx, actor), schedule_id)


async def resume_schedule(tx: Tx, actor: Actor, schedule_id: int, *, owners: Owners, dry_run: bool) -> ScheduleLine:
    await operating.resume_schedule(tx, actor, schedule_id, owners=owners, dry_run=dry_run)
    return await get_schedule(tx, await visible_to(tx, actor), schedule_id)


async def skip_occurrence(
    tx: Tx, actor: Actor, schedule_id: int, *, owners: Owners, fire_at: datetime | None = None
) -> tuple[int, datetime]:
    return schedule_id, await operating.skip_occurrence(tx, actor, schedule_id, fire_at, owners=owners)


async def keep_occurrence(tx: Tx, actor: Actor, schedule_id: int, *, owners: Owners, fire_at: datetime) -> None:
    await operating.keep_occurrence(tx, actor, schedule_id, fire_at, owners=owners)


async def trigger_schedule(tx: Tx, actor: Actor, schedule_id: int, *, owners: Owners) -> OccurrenceLine:
    made = await operating.trigger_schedule(tx, actor, schedule_id, owners=owners)
    return await find_occurrence(tx, await visible_to(tx, actor), schedule_id, made.fire_at)


async def silence_rule(
    tx: Tx, actor: Actor, name: str, *, rules: Sequence[AlertRule], until: datetime, note: str = ""
) -> None:
    await alerts.silence_rule(tx, actor, alerts.find_rule(rules, name), until=until, note=note)


async def unsilence_rule(tx: Tx, actor: Actor, name: str, *, rules: Sequence[AlertRule]) -> None:
    await alerts.unsilence_rule(tx, actor, alerts.find_rule(rules, name))


async def change_setting(tx: Tx, actor: Actor, key: str, *, catalogue: Catalogue, value: str) -> Listed:
    return await settings.change(tx, actor, catalogue[key], value)


async def reset_setting(tx: Tx, actor: Actor, key: str, *, catalogue: Catalogue) -> Listed:
    return await settings.reset(tx, actor, catalogue[key])


async def decide_approval(
    tx: Tx,
    actor: Actor,
    approval_id: int,
    *,
    approvables: Approvables,
    reader: Actor,
    verdict: str,
    reason: str = "",
) -> Seen:  # long: the inbox, who looks, and the answer
    await approvals.decide(tx, actor, approval_id, approvables=approvables, verdict=Verdict(verdict), reason=reason)
    return await approvals.get_seen(tx, reader, await visible_to(tx, actor), approvables, approval_id)


async def approve(
    tx: Tx, actor: Actor, approval_id: int, *, approvables: Approvables, reader: Actor, reason: str = ""
) -> Seen:
    return await decide_approval(
        tx, actor, approval_id, approvables=approvables, reader=reader, verdict="approve", reason=reason
    )


async def reject(
    tx: Tx, actor: Actor, approval_id: int, *, approvables: Approvables, reader: Actor, reason: str = ""
) -> Seen:
    return await decide_approval(
        tx, actor, approval_id, approvables=approvables, reader=reader, verdict="reject", reason=reason
    )


async def undo_decision(tx: Tx, actor: Actor, approval_id: int, *, approvables: Approvables, reader: Actor) -> Seen:
    await approvals.undo(tx, actor, approval_id, approvables=approvables)
    return await approvals.get_seen(tx, reader, await visible_to(tx, actor), approvables, approval_id)
