"""The rules of a schedule before it is saved: what cannot be, and what somebody may want to know. Pure."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from zoneinfo import ZoneInfo

from pabal.apps.messaging.model.content import IMAGES_1, IMAGES_2, Content, SendOrder
from pabal.apps.messaging.model.findings import find
from pabal.apps.messaging.model.rooms import RoomLimits, find_too_small
from pabal.apps.messaging.model.schedules import NewSchedule, ScheduleType, When
from pabal.base.errors import Invalid
from pabal.engine.recurrence import MOST_WEEKS
from pabal.platform.findings import Finding
from pabal.platform.language.moments import show_moment
from pabal.platform.language.pairs import Pair

LONGEST_TITLE = 255
LONGEST_DESCRIPTION = 2000
LONGEST_INTERVAL_SECONDS = 3600
LONGEST_MEDIA_WAIT_MS = 600_000
# as many as a sentence can name; who needs more makes another schedule
MOST_TIMES = 12
SENDABLE = ("image/jpeg", "image/png", "image/gif")
_SPANS: dict[str, Pair] = {
    "messages_per_minute": ("minute", "1분"),
    "messages_per_hour": ("hour", "1시간"),
    "messages_per_day": ("24 hours", "24시간"),
}
_TEST = re.compile(r"(?<![a-z])test(?![a-z])|테스트|시험 ?발송", re.IGNORECASE)
# joins the parts of one emoji
_JOINER = "\N{ZERO WIDTH JOINER}"
_UNSEEN = {"Cc", "Cf", "Co", "Cn"}
_FILLERS = "\N{HANGUL FILLER}\N{HALFWIDTH HANGUL FILLER}\N{BRAILLE PATTERN BLANK}"


@dataclass(frozen=True, slots=True)
class Allowed:
    """How much is allowed here: the room's own numbers where it has some, else the settings'. 0 means no limit."""

    limits: RoomLimits
    max_text_length: int = 1000
    warn_text_length: int = 400
    max_images_per_group: int = 10
    max_images: int = 20


def clean(new: NewSchedule) -> NewSchedule:
    """As it is kept: one kind of line end, no empty text, and nothing of another schedule type."""
    title, description = " ".join(clean_text(new.title).split()), clean_text(new.description).strip()
    return replace(
        new, title=title, description=description, content=clean_content(new.content), when=_clean_when(new.when)
    )


def _clean_when(when: When) -> When:
    """Its times in their order, each once."""
    is_once, is_weekly = when.schedule_type is ScheduleType.ONCE, when.schedule_type is ScheduleType.WEEKLY
    times = sorted(set(when.times))
    return replace(
        when,
        schedule_date=when.schedule_date if is_once else None,
        schedule_time=when.schedule_time if is_once else times[0],
        more_times=() if is_once else tuple(times[1:]),
        schedule_weekdays=tuple(sorted(set(when.schedule_weekdays))) if is_weekly else (),
        every_weeks=when.every_weeks if is_weekly else 1,
    )


def clean_content(content: Content) -> Content:
    text = clean_text(content.text or "")
    return replace(content, text=text if text.strip() else None)


def clean_text(text: str) -> str:
    """What a database can keep: no NUL, no half of a character. Line breaks become one sign each."""
    whole = text.encode("utf-8", "replace").decode("utf-8").replace("\0", "")
    return whole.replace("\r\n", "\n").replace("\r", "\n")


def list_problems(new: NewSchedule, allowed: Allowed) -> Iterator[Finding]:
    """Everything that can be said without looking around."""
    if not new.title:
        yield find("title_missing", "title")
    if len(new.title) > LONGEST_TITLE:
        yield find("title_too_long", "title", length=len(new.title), most=LONGEST_TITLE)
    if len(new.description) > LONGEST_DESCRIPTION:
        yield find("description_too_long", "description", length=len(new.description), most=LONGEST_DESCRIPTION)
    yield from list_content_problems(new.content, allowed)
    yield from _limit_problems(new.content, allowed.limits)


def list_content_problems(content: Content, allowed: Allowed) -> Iterator[Finding]:
    if not content.components:
        without = content.send_order is SendOrder.IMAGES_ONLY and content.text
        field = "images_1" if without else "text"
        yield find("images_only_without_images" if without else "nothing_to_send", field)
    length, most = len(content.text or ""), allowed.max_text_length
    if length > most:
        yield find("text_too_long", "text", length=length, most=most, over=length - most)
    yield from _image_problems(content, allowed)
    if not 0 <= content.send_interval_seconds <= LONGEST_INTERVAL_SECONDS:
        value, longest = content.send_interval_seconds, LONGEST_INTERVAL_SECONDS
        yield find("interval_out_of_range", "send_interval_seconds", value=value, most=longest)
    for field, value in (("media_wait_1", content.media_wait_1), ("media_wait_2", content.media_wait_2)):
        if not 0 <= value <= LONGEST_MEDIA_WAIT_MS:
            yield find("media_wait_out_of_range", field, value=value, most=LONGEST_MEDIA_WAIT_MS)


def _image_problems(content: Content, allowed: Allowed) -> Iterator[Finding]:
    groups = {name: content.images(name) for name in (IMAGES_1, IMAGES_2)}
    most = allowed.max_images_per_group
    for name, pictures in groups.items():
        if len(pictures) > most:
            count = len(pictures)
            yield find("too_many_images_in_group", name, count=count, most=most, over=count - most)
        for picture in pictures:
            if picture.media_type not in SENDABLE:
                yield find("image_format_refused", name, name=picture.name, media_type=picture.media_type)
    count, most = sum(len(pictures) for pictures in groups.values()), allowed.max_images
    if count > most:
        yield find("too_many_images", "images_2", count=count, most=most, over=count - most)


def _limit_problems(content: Content, limits: RoomLimits) -> Iterator[Finding]:
    components = len(content.components)
    name = find_too_small(limits, components)
    if name is not None:
        most = getattr(limits, name)
        yield find("limit_too_small", "room_id", components=components, most=most, span=_SPANS[name])


def list_when_problems(when: When, now: datetime) -> Iterator[Finding]:
    """Says the first thing that is wrong: one mistake in a time makes the others meaningless."""
    if when.schedule_type is ScheduleType.ONCE and when.schedule_date is None:
        yield find("once_without_date", "schedule_date")
    elif when.schedule_type is ScheduleType.WEEKLY and not when.schedule_weekdays:
        yield find("weekly_without_days", "schedule_weekdays")
    elif not 1 <= when.every_weeks <= MOST_WEEKS:
        yield find("weeks_out_of_range", "every_weeks", value=when.every_weeks, most=MOST_WEEKS)
    elif len(when.times) > MOST_TIMES:
        yield find("too_many_times", "more_times", count=len(when.times), most=MOST_TIMES)
    else:
        yield from _timing_problems(when, now)


def _timing_problems(when: When, now: datetime) -> Iterator[Finding]:
    try:
        zone = ZoneInfo(when.zone)
        if when.valid_until <= when.valid_from:
            start, until = (say(moment, zone, now) for moment in (when.valid_from, when.valid_until))
            yield find("validity_ends_early", "valid_until", start=start, until=until)
            return
        first = when.timing.next_after(now)
    except (Invalid, ValueError, KeyError, OSError, TypeError) as error:
        # TypeError: a moment without a zone does not compare; KeyError, OSError: what ZoneInfo says of odd names
        yield find("when_unreadable", "schedule_time", why=str(error))
        return
    if first is None:
        yield _nothing_ahead(when, zone, now)


def _nothing_ahead(when: When, zone: ZoneInfo, now: datetime) -> Finding:
    start, until = (say(moment, zone, now) for moment in (when.valid_from, when.valid_until))
    if when.schedule_type is not ScheduleType.ONCE or when.schedule_date is None:
        return find("no_moment_ahead", "valid_until", until=until)
    at = datetime.combine(when.schedule_date, when.schedule_time, zone)
    if at <= now:
        return find("once_in_past", "schedule_date", at=say(at, zone, now))
    return find("outside_validity", "valid_until", at=say(at, zone, now), start=start, until=until)


def list_text_warnings(content: Content, allowed: Allowed) -> Iterator[Finding]:
    text = content.text or ""
    if text and content.send_order is SendOrder.IMAGES_ONLY:
        yield find("text_left_out", "text")
        return
    if len(text) > allowed.warn_text_length:
        yield find("text_long", "text", length=len(text), warn=allowed.warn_text_length)
    if text != text.strip():
        yield find("text_has_spaces", "text")
    unseen = list_unseen(text)
    if unseen:
        yield find("text_has_unseen", "text", count=len(unseen), name=_name(unseen[0]))


def list_unseen(text: str) -> list[str]:
    """Signs without a shape, line breaks and tabs apart. A joiner within an emoji is part of what one sees."""
    return [
        sign
        for index, sign in enumerate(text)
        if (unicodedata.category(sign) in _UNSEEN and sign not in "\n\t" and not _joins(text, index))
        or sign in _FILLERS
    ]


def _joins(text: str, index: int) -> bool:
    """Also the tags that make a flag out of a black one."""
    before = text[index - 1] if index else ""
    if "\N{TAG SPACE}" <= text[index] <= "\N{CANCEL TAG}":
        return True
    return text[index] == _JOINER and before != "" and not before.isspace() and index + 1 < len(text)


def _name(sign: str) -> str:
    return f"U+{ord(sign):04X}"


def says_test(title: str) -> bool:
    return _TEST.search(title) is not None


def say(moment: datetime, zone: ZoneInfo, now: datetime) -> Pair:
    """A moment in both languages, in the schedule's zone."""
    local = moment if moment.tzinfo is not None else moment.replace(tzinfo=zone)
    seconds = bool(local.astimezone(zone).second)
    return (
        show_moment(local, zone, "en", now=now, seconds=seconds),
        show_moment(local, zone, "ko", now=now, seconds=seconds),
    )


def without_repeats(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """One of a kind and field: ten images of a wrong format need one sentence each name, a crowded day only one."""
    return tuple(dict.fromkeys(findings))


def list_picture_ids(content: Content) -> Sequence[int]:
    return list(dict.fromkeys(picture.file_id for picture in (*content.images_1, *content.images_2)))
