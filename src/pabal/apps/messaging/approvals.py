"""What of messaging can be decided in the inbox, in words, and the verbs that do it."""

from collections.abc import Sequence
from datetime import datetime

from pabal.apps.messaging import asking
from pabal.apps.messaging.actions import bots, deliveries
from pabal.apps.messaging.actions.deliveries import AREA
from pabal.apps.messaging.asking import DEVICE, MISSED
from pabal.apps.messaging.errors import DeliveryNotFound, NotOver
from pabal.apps.messaging.machine import DELIVERY
from pabal.apps.messaging.machine import DEVICE as DEVICE_MACHINE
from pabal.apps.messaging.model.reasons import explain_state
from pabal.apps.messaging.overview import ZONE
from pabal.base.database import Row, Tx
from pabal.platform.actor import Actor, Right
from pabal.platform.approvals import Approvable, Approval, Told, Verdict
from pabal.platform.language.moments import show_moment, show_span
from pabal.platform.language.pairs import Pair


async def approve_device(tx: Tx, actor: Actor, approval: Approval, reason: str | None) -> None:
    """For the network that was shown: a device that calls from elsewhere meanwhile is another question."""
    await bots.approve(tx, actor, approval.subject, network=approval.seen or None, reason=reason)


async def deny_device(tx: Tx, actor: Actor, approval: Approval, reason: str | None) -> None:
    await bots.deny(tx, actor, approval.subject, reason=reason)


async def take_back_device(tx: Tx, actor: Actor, approval: Approval, reason: str | None) -> None:
    await bots.revoke(tx, actor, approval.subject)


async def tell_devices(tx: Tx, asked: Sequence[Approval]) -> dict[int, Told]:
    rows = {row["id"]: row for row in await tx.rows(asking.SQL.tell_devices, ids=[one.subject for one in asked])}
    return {one.id: _tell_device(one, rows[one.subject]) for one in asked if one.subject in rows}


def _tell_device(one: Approval, row: Row) -> Told:
    bot, program = row["bot_name"], f"{row['client_type']} {row['client_version']}".strip()
    will: list[Pair] = [
        (
            f"It becomes the bot {bot}: messages of its rooms go out through it",
            f"‘{bot}’ 봇이 되어 그 톡방에 메시지를 보냅니다",
        ),
        ("It finds the rooms it is in by itself", "들어가 있는 톡방을 스스로 찾습니다"),
    ]
    why: list[Pair] = [(f"Program: {program}", f"프로그램: {program}")] if program else []
    if one.seen:
        why.insert(0, (f"It calls from {one.seen}", f"연결한 네트워크: {one.seen}"))
    title = (f"A device asks to be the bot {bot}", f"기기가 ‘{bot}’ 봇으로 연결하려 합니다")
    return Told(title, tuple(will), tuple(why), f"/messages/bots/{row['bot_id']}")


async def send_missed(tx: Tx, actor: Actor, approval: Approval, reason: str | None) -> None:
    await deliveries.resume(tx, actor, approval.subject, reason=reason)


async def skip_missed(tx: Tx, actor: Actor, approval: Approval, reason: str | None) -> None:
    await deliveries.dismiss(tx, actor, approval.subject, reason=reason)


async def skip_expired(tx: Tx, actor: Actor, approval: Approval, reason: str | None) -> None:
    """Unless somebody has sent it or it is gone since its time was over."""
    try:
        await skip_missed(tx, actor, approval, reason)
    except (DeliveryNotFound, NotOver):
        return


async def tell_missed(tx: Tx, asked: Sequence[Approval]) -> dict[int, Told]:
    rows = {row["id"]: row for row in await tx.rows(asking.SQL.tell_deliveries, ids=[one.subject for one in asked])}
    return {one.id: _tell_missed(rows[one.subject], tx.now) for one in asked if one.subject in rows}


def _tell_missed(row: Row, now: datetime) -> Told:
    title, room, at = row["title"], row["room_name"], row["scheduled_at"]
    late_en, late_ko = show_span(now - at, "en"), show_span(now - at, "ko")
    at_en, at_ko = show_moment(at, ZONE, "en", now=now), show_moment(at, ZONE, "ko", now=now)
    return Told(
        title=(f"Send “{title}” now?", f"‘{title}’ 메시지를 지금 보낼까요?"),
        will=(
            (f"Sends it to {room} as soon as its bot can", f"봇이 보낼 수 있게 되는 대로 {room}에 보냅니다"),
            (f"{late_en} after the planned time, {at_en}", f"예정 시각({at_ko})보다 {late_ko} 늦습니다"),
        ),
        why=(explain_state("missed", row["reason"], bot=row["bot_name"]),),
        href=f"/messages/deliveries/{row['id']}",
        risks=("sends",),
    )


APPROVABLES = (
    Approvable(
        DEVICE,
        DEVICE_MACHINE,
        AREA,
        Right.MANAGE,
        label=("Device approval", "기기 승인"),
        icon="devices",
        tell=tell_devices,
        approve=approve_device,
        reject=deny_device,
        undo={Verdict.APPROVE: take_back_device},
    ),
    Approvable(
        MISSED,
        DELIVERY,
        AREA,
        Right.WRITE,
        label=("Missed message", "놓친 메시지"),
        icon="message-2",
        tell=tell_missed,
        approve=send_missed,
        reject=skip_missed,
        yes=("Send", "보내기"),
        no=("Skip", "건너뛰기"),
        expired=skip_expired,
        then=("then it stays missed and nobody is asked any more", "지나면 놓친 채로 두고 더 묻지 않습니다"),
    ),
)
