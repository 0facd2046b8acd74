"""Rendering on the front page, in the menu and in the search: the day so far, and what waits for a person."""

from datetime import datetime, time, timedelta
from typing import Literal
from zoneinfo import ZoneInfo

from pabal.apps.rendering import settings as own
from pabal.apps.rendering.forecasts import Forecast, foresee
from pabal.apps.rendering.labels import REASONS
from pabal.apps.rendering.model.renders import COMPOSITION_ABOUT, RENDER_ABOUT, Reason, Render
from pabal.apps.rendering.store import renders, showing
from pabal.apps.rendering.store.renders import Filter
from pabal.base.database import Tx
from pabal.platform import settings
from pabal.platform.language.pairs import Pair
from pabal.platform.overview import Card, FirstStep, Found, Need
from pabal.platform.tenants import Scope

ZONE = ZoneInfo("Asia/Seoul")
FAILED_WITHIN = timedelta(hours=24)
EACH = 5
LAST = 20
MOST_OPEN = 200
JOB: Pair = ("Render job", "렌더 작업")
COMPOSITION: Pair = ("Composition", "컴포지션")
BARS = {"completed": "7", "failed": "x", "cancelled": "-"}


async def card(tx: Tx, scope: Scope) -> Card | FirstStep | None:
    """What was rendered today, as the operators' zone has it. Nothing where there is no composition and no job."""
    midnight = datetime.combine(tx.now.astimezone(ZONE).date(), time(0), ZONE)
    ended, _ = await showing.list_ended(tx, scope, Filter(), since=midnight, most=1000)
    opened, _ = await showing.list_open(tx, scope, Filter(), most=1)
    if not ended and not opened and not await showing.list_names(tx, scope.listed):
        return None
    failed = sum(one.state == "failed" for one in ended)
    look: Literal["good", "attn", "fail"] = "fail" if failed else "good"
    return Card(
        value=sum(one.state == "completed" for one in ended),
        word=("rendered", "렌더 완료"),
        bars="".join(BARS[one.state] for one in reversed(ended[:LAST])),
        look=look,
        trouble=(f"{failed} failed", f"실패 {failed}") if failed else ("", ""),
        next_at=None,
        href="/render",
    )


async def list_needs(tx: Tx, scope: Scope) -> list[Need]:
    failed, _ = await showing.list_ended(tx, scope, _FAILED, since=tx.now - FAILED_WITHIN, most=EACH)
    return [
        *(_late(one, foretold) for one, foretold in await _list_late(tx, scope)),
        *(_stuck(one) for one in (await _list_stuck(tx, scope))[:EACH]),
        *(_failed(one) for one in failed),
    ]


async def count_needs(tx: Tx, scope: Scope) -> int:
    """Failed today: the number beside the queue."""
    return await showing.count_failed(tx, scope, tx.now - FAILED_WITHIN)


async def count_stuck(tx: Tx, scope: Scope) -> int:
    return len(await _list_stuck(tx, scope))


async def find(tx: Tx, scope: Scope, text: str) -> list[Found]:
    jobs = await renders.list_renders(tx, scope, Filter(q=text), limit=EACH)
    known = await showing.list_compositions(tx, scope.listed, q=text, limit=EACH)
    return [
        *(Found(JOB, one.composition_name, f"#{one.id}", f"/render/jobs/{one.id}") for one in jobs.items),
        *(Found(COMPOSITION, one.name, one.id, f"/render/templates/{one.id}") for one in known.items),
    ]


def link(about: str) -> str | None:
    """Where a person sees what this names."""
    kind, _, name = about.partition(":")
    if kind == RENDER_ABOUT and name.isascii() and name.isdigit() and len(name) < 19:
        return f"/render/jobs/{name}"
    return f"/render/templates/{name}" if kind == COMPOSITION_ABOUT and name else None


_FAILED = Filter(states=["failed"])


async def _list_stuck(tx: Tx, scope: Scope) -> list[Render]:
    slow = await settings.value(tx, own.SLOW_ALERT)
    return await renders.list_stuck(tx, scope, slow_since=tx.now - slow)


async def _list_late(tx: Tx, scope: Scope) -> list[tuple[Render, Forecast]]:
    """Needed at a moment, and foretold to be ready after it."""
    opened, _ = await showing.list_open(tx, scope, Filter(), most=MOST_OPEN)
    needed = [one for one in opened if one.on_air_at is not None and one.is_open]
    if not needed:
        return []
    foretold = (await foresee(tx, needed)).renders
    return [(one, foretold[one.id]) for one in needed if foretold[one.id].on_air == "missed"][:EACH]


def _late(one: Render, foretold: Forecast) -> Need:
    late = max(1, round(-(foretold.spare or timedelta()).total_seconds() / 60))
    return Need(
        family="render",
        state=one.state,
        title=(one.composition_name, one.composition_name),
        note=f"#{one.id}",
        reason=(
            f"It will be ready about {late} min after it is needed on air.",
            f"방송 시각보다 약 {late}분 늦을 것 같습니다.",
        ),
        href=f"/render/jobs/{one.id}",
        action=("Look", "보기"),
        at=one.on_air_at or one.updated_at,
        severity="missing",
    )


def _stuck(one: Render) -> Need:
    known = REASONS[Reason(one.fault)] if one.fault in set(Reason) else None
    return Need(
        family="render",
        state=one.state,
        title=(one.composition_name, one.composition_name),
        note=f"#{one.id}",
        reason=known or ("It has not moved for a long time.", "오랫동안 진행이 없습니다."),
        href="/render/workers/stuck",
        action=("Look", "보기"),
        at=one.stage_began_at or one.updated_at,
    )


def _failed(one: Render) -> Need:
    known = REASONS[Reason(one.error_code)] if one.error_code in set(Reason) else REASONS[Reason.UNEXPECTED]
    return Need(
        family="render",
        state="failed",
        title=(one.composition_name, one.composition_name),
        note=f"#{one.id}",
        reason=known,
        href=f"/render/jobs/{one.id}",
        action=("Retry", "다시 시도"),
        at=one.updated_at,
        severity="failure",
    )
