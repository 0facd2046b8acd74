"""What of ad groups can be decided in the inbox, in words, and the events that do it."""

from collections.abc import Sequence
from datetime import datetime

from pabal.apps.adgroups.actions import events
from pabal.apps.adgroups.asking import READY
from pabal.apps.adgroups.machine import AD_GROUP
from pabal.apps.adgroups.model.adgroups import AREA, ZONE, AdGroup, Event
from pabal.apps.adgroups.sentences import describe_hours, show_brief
from pabal.apps.adgroups.store import adgroups as store
from pabal.base.database import Tx
from pabal.platform.actor import Actor, Right
from pabal.platform.approvals import Approvable, Approval, Told, Verdict


async def approve(tx: Tx, actor: Actor, approval: Approval, reason: str | None) -> None:
    await events.send(tx, actor, approval.subject, Event.APPROVE, reason=reason)


async def reject(tx: Tx, actor: Actor, approval: Approval, reason: str | None) -> None:
    await events.send(tx, actor, approval.subject, Event.REJECT, reason=reason)


async def take_back_no(tx: Tx, actor: Actor, approval: Approval, reason: str | None) -> None:
    """It is ready as before, and asked again. A yes has no way back: an approved ad group can be paused or deleted."""
    await events.send(tx, actor, approval.subject, Event.COMPLETE_SETUP, reason=reason)


async def tell(tx: Tx, asked: Sequence[Approval]) -> dict[int, Told]:
    groups = {group.id: group for group in await store.load_ad_groups(tx, [one.subject for one in asked])}
    return {one.id: _tell(groups[one.subject], tx.now) for one in asked if one.subject in groups}


def _tell(group: AdGroup, now: datetime) -> Told:
    start, end = group.schedule.start_at, group.schedule.end_at
    (start_en, start_ko), (end_en, end_ko) = (
        (show_brief(moment, now, ZONE, "en"), show_brief(moment, now, ZONE, "ko")) for moment in (start, end)
    )
    hours = describe_hours(group.schedule.dayparts, group.schedule.zone, now)
    return Told(
        title=(f"{group.name} is ready", f"‘{group.name}’ 준비 완료"),
        will=(
            (f"It goes on air {start_en} and ends {end_en}", f"{start_ko}에 송출을 시작하고 {end_ko}에 끝납니다"),
            (f"Hours: {hours[0]}", f"송출 시간대: {hours[1]}"),
        ),
        why=(
            (f"Campaign: {group.campaign_name}", f"캠페인: {group.campaign_name}"),
            (
                f"{group.creatives} creatives, {group.inventories} inventory",
                f"소재 {group.creatives}개 · 인벤토리 {group.inventories}곳",
            ),
        ),
        href=f"/ads/groups/{group.id}",
        risks=("costs",),
    )


APPROVABLES = (
    Approvable(
        READY,
        AD_GROUP,
        AREA,
        Right.MANAGE,
        label=("Ad group approval", "광고그룹 승인"),
        icon="ad-2",
        tell=tell,
        approve=approve,
        reject=reject,
        undo={Verdict.REJECT: take_back_no},
        then=("then it can only be approved with new dates", "지나면 기간을 고쳐야 승인할 수 있습니다"),
    ),
)
