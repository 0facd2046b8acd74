"""Messaging's things as rows of an answer: plain values, every field for programs, a few more for people's tables."""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any

from pabal.apps.messaging.model.bots import Bot, Device
from pabal.apps.messaging.model.content import Content, Picture, Template
from pabal.apps.messaging.model.deliveries import Delivery, DeliveryState, Tally, tally
from pabal.apps.messaging.model.reasons import COMPONENTS, Sentence, explain
from pabal.apps.messaging.model.rooms import Budget, BudgetRow, Room
from pabal.apps.messaging.model.schedules import Schedule, When
from pabal.apps.messaging.store.deliveries import OpenSend
from pabal.base.errors import Invalid
from pabal.engine import ids, recurrence, why
from pabal.platform.language.moments import show_date, show_span, show_time, show_zone
from pabal.platform.language.pairs import Lang, put

Names = Mapping[int | None, str]
_SIGNS = {"written": "✓", "unknown": "?", "partial": "…", "planned": "✕"}


def schedule_row(schedule: Schedule, names: Names, lang: Lang) -> dict[str, Any]:
    return {
        "id": schedule.id,
        "state": schedule.state,
        "title": schedule.title,
        "says": describe(schedule.when, lang),
        "next_send_at": schedule.next_send_at,
        "room": schedule.room_name,
        "room_type": schedule.room_type,
        "bot": schedule.bot_name,
        "org": names.get(schedule.unit_id),
        **content_row(schedule.content),
        **_when_row(schedule.when),
        "late_policy": schedule.late_policy.value,
        "description": schedule.description or None,
        "last_sent_at": schedule.last_sent_at,
        "send_count": schedule.send_count,
        "failures": schedule.failures,
        "version": schedule.version,
        "timetable": None if schedule.timetable_id is None else why.show_schedule(schedule.timetable_id),
        "room_id": schedule.room_id,
        "channel_id": schedule.channel_id,
        "bot_id": schedule.bot_id,
        "unit_id": schedule.unit_id,
        "template_id": schedule.template_id,
        "created_by": schedule.created_by,
        "created_at": schedule.created_at,
        "updated_at": schedule.updated_at,
    }


def content_row(content: Content) -> dict[str, Any]:
    return {
        "text": content.text,
        "images_1": [picture.name for picture in content.images_1],
        "images_2": [picture.name for picture in content.images_2],
        "send_order": content.send_order.value,
        "send_interval_seconds": content.send_interval_seconds,
        "media_wait_1": content.media_wait_1,
        "media_wait_2": content.media_wait_2,
    }


def _when_row(when: When) -> dict[str, Any]:
    return {
        "schedule_type": when.schedule_type.value,
        "schedule_date": when.schedule_date,
        "schedule_time": when.schedule_time.isoformat(),
        "schedule_weekdays": [day.name.lower() for day in when.schedule_weekdays],
        "zone": when.zone,
        "valid_from": when.valid_from,
        "valid_until": when.valid_until,
    }


def describe(when: When, lang: Lang) -> str:
    """A rule that can no longer be read, of a zone that is gone say, must not hide its schedule."""
    try:
        return recurrence.describe(when.timing, lang)
    except Invalid:
        return "–"


def template_row(template: Template) -> dict[str, Any]:
    content = content_row(template.content)
    return {
        "id": template.id,
        "name": template.name,
        "org": template.unit_name,
        **{name: content[name] for name in ("text", "images_1", "images_2")},
        "schedules": template.schedules,
        "sends": template.sends,
        "unit_id": template.unit_id,
        "created_by": template.created_by,
        "created_at": template.created_at,
        "updated_at": template.updated_at,
    }


def room_row(room: Room, names: Names) -> dict[str, Any]:
    return {
        "id": room.id,
        "name": room.name,
        "room_type": room.room_type.value,
        "org": names.get(room.unit_id),
        "bots": [one.bot_name for one in room.bots],
        "held": [one.bot_name for one in room.bots if one.is_held],
        "channel_id": room.channel_id,
        "last_message_at": room.last_message_at,
        "note": room.note or None,
        **asdict(room.limits),
        "unit_id": room.unit_id,
        "claimed_by": room.claimed_by,
        "created_at": room.created_at,
        "updated_at": room.updated_at,
    }


def bot_row(bot: Bot, names: Names) -> dict[str, Any]:
    return {
        "id": bot.id,
        "name": bot.name,
        "state": bot.state,
        "org": names.get(bot.unit_id),
        "image_mode": bot.image_mode.value,
        "has_secret": bot.has_secret,
        "waiting": bot.lane,
        "failures": bot.failures,
        "last_ping_at": bot.last_ping_at,
        "server": None if bot.worker is None else ids.show("wrk", bot.worker),
        "excluded_reason": bot.excluded_reason,
        "excluded_at": bot.excluded_at,
        "excluded_by": bot.excluded_by,
        "unit_id": bot.unit_id,
        "created_at": bot.created_at,
        "pending": sum(1 for one in bot.devices if one.waits),
        "devices": [device_row(one) for one in bot.devices],
    }


def device_row(device: Device) -> dict[str, Any]:
    return {
        "id": device.id,
        "bot": device.bot_name,
        "device_id": device.device_id,
        "state": device.state,
        "client_version": device.client_version,
        "address": device.address,
        "asks_from": device.asks_from,
        "networks": device.networks,
        "last_ping_at": device.last_ping_at,
        "decided_by": device.decided_by,
        "decided_at": device.decided_at,
        "signature": device.signature,
        "client_type": device.client_type,
        "info": device.info,
        "server": None if device.worker is None else ids.show("wrk", device.worker),
        "connected_at": device.connected_at,
        "created_at": device.created_at,
    }


def delivery_row(delivery: Delivery, lang: Lang, now: datetime) -> dict[str, Any]:
    is_open = delivery.state == DeliveryState.OPEN
    return {
        "id": ids.show("dlv", delivery.id),
        "state": delivery.state,
        "place": delivery.place,
        "scheduled_at": delivery.scheduled_at,
        "schedule": delivery.schedule_title,
        "room": delivery.room_name,
        "bot": delivery.bot_name,
        "cause": delivery.cause,
        "parts": " · ".join(_chip(one, lang, is_open=is_open) for one in tally(delivery.parts)),
        "attempts": delivery.attempts,
        "why": " ".join(say(one, lang, now) for one in explain(delivery)) or None,
        "reason": delivery.reason,
        "started_at": delivery.started_at,
        "ended_at": delivery.ended_at,
        "duration_ms": delivery.duration_ms,
        "deferred_by": delivery.deferred_by,
        "deferred_until": delivery.deferred_until,
        "is_catch_up": delivery.is_catch_up,
        "asked_by": delivery.asked_by,
        "schedule_id": delivery.schedule_id,
        "room_id": delivery.room_id,
        "bot_id": delivery.bot_id,
        "unit_id": delivery.unit_id,
        "job": None if delivery.job_id is None else ids.show("job", delivery.job_id),
        **content_row(delivery.content),
        "components": [asdict(one) for one in tally(delivery.parts)],
    }


def open_row(one: OpenSend) -> dict[str, Any]:
    """One that nobody has taken yet has a job, and no delivery."""
    return {
        "id": None if one.delivery_id is None else ids.show("dlv", one.delivery_id),
        "state": one.place,
        "scheduled_at": one.scheduled_at,
        "schedule": one.schedule_title,
        "room": one.room_name,
        "bot": one.bot_name,
        "cause": one.cause,
        "parts": f"{one.written}/{one.parts}" if one.parts else "",
        "deferred_by": one.deferred_by,
        "until": one.until,
        "schedule_id": one.schedule_id,
        "room_id": one.room_id,
        "bot_id": one.bot_id,
        "unit_id": one.unit_id,
        "job": None if one.job_id is None else ids.show("job", one.job_id),
    }


def budget_rows(budget: Budget, room: Room, lang: Lang) -> list[dict[str, Any]]:
    return [
        {
            "limit": row.name,
            "used": row.used,
            "most": row.most,
            "span": show_span(row.span, lang),
            "meter": _meter(row),
            "next_allowed_at": row.next_allowed_at,
            "is_own": getattr(room.limits, row.name) is not None,
            "seconds": row.span.total_seconds(),
            "binds": row.name == budget.binds,
        }
        for row in budget.rows
    ]


def picture_text(picture: Picture) -> str:
    return f"{picture.name} {picture.width}×{picture.height} {max(1, round(picture.size / 1000)):,} kB"


def say(sentence: Sentence, lang: Lang, now: datetime) -> str:
    return put(lang, sentence.pair, **{name: _value(value, lang, now) for name, value in sentence.values.items()})


def _value(value: Any, lang: Lang, now: datetime) -> Any:
    if isinstance(value, datetime):
        local = value.astimezone()
        date = show_date(local, lang, this_year=now.astimezone().year)
        return f"{date} {show_time(local, seconds=True)} {show_zone(local)}"
    return put(lang, value) if isinstance(value, tuple) else "–" if value is None else value


def _chip(one: Tally, lang: Lang, *, is_open: bool) -> str:
    count = f" {one.written}/{one.total}" if one.total > 1 else ""
    sign = "○" if is_open and one.state == "planned" else _SIGNS[one.state]
    return f"{put(lang, COMPONENTS[one.component])}{count} {sign}"


def _meter(row: BudgetRow) -> str:
    share = min(1.0, row.used / row.most) if row.most else 0.0
    full = round(share * 10)
    return f"{'█' * full}{'░' * (10 - full)} {share:.0%}"
