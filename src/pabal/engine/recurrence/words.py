"""A timing as a sentence, in English or Korean."""

from collections.abc import Mapping, Sequence
from datetime import datetime, time, timedelta
from itertools import product
from typing import Literal

from pabal.engine.recurrence.forms import (
    Cron,
    Daily,
    EveryWeeks,
    Interval,
    Once,
    Weekday,
    Weekly,
    months,
    numbers,
    step,
    time_text,
    weekdays,
)
from pabal.engine.recurrence.timing import Timing, find_zone

Lang = Literal["en", "ko"]

_SENTENCES: Mapping[Lang, Mapping[str, str]] = {
    "en": {
        "once": "Once on {day} at {time}",
        "daily": "Every day at {times}",
        "weekly": "Every {days} at {times}",
        "weeks": "Every {count} weeks on {days} at {times}, from {day}",
        "monthly": "Every month on day {day} at {times}",
        "month_end": "Every month on the last day at {times}",
        "yearly": "Every year on {month} {day} at {times}",
        "minute": "Every minute",
        "minutes": "Every {count} minutes",
        "hourly": "Every hour at minute {minute}",
        "hours": "Every {count} hours at minute {minute}",
        "span": "from {first} to {last}",
        "within": "{every} {spans}",
        "on": "{every}, {days}",
        "interval": "Every {length} from {day} {time}",
    },
    "ko": {
        "once": "{day} {time} 한 번",
        "daily": "매일 {times}",
        "weekly": "매주 {days} {times}",
        "weeks": "{day}부터 {count}주마다 {days} {times}",
        "monthly": "매월 {day}일 {times}",
        "month_end": "매월 말일 {times}",
        "yearly": "매년 {month} {day}일 {times}",
        "minute": "매분",
        "minutes": "{count}분마다",
        "hourly": "매시 {minute}분",
        "hours": "{count}시간마다 {minute}분",
        "span": "{first}~{last}",
        "within": "{spans} {every}",
        "on": "매주 {days} {every}",
        "interval": "{day} {time}부터 {length}마다",
    },
}
_DAYS: Mapping[Lang, Sequence[str]] = {
    "en": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    "ko": ("월", "화", "수", "목", "금", "토", "일"),
}
_MONTHS: Mapping[Lang, Sequence[str]] = {
    "en": (
        *("January", "February", "March", "April", "May", "June"),
        *("July", "August", "September", "October", "November", "December"),
    ),
    "ko": tuple(f"{number}월" for number in range(1, 13)),
}
_UNITS = (("day", "일", 86_400), ("hour", "시간", 3_600), ("minute", "분", 60), ("second", "초", 1))
# A longer list of times reads worse than the expression.
_MOST_TIMES = 12


def describe(timing: Timing, lang: Lang = "en") -> str:
    """What the recurrence says, with its zone; a cron expression without a common pattern stands for itself."""
    return f"{_sentence(timing, lang)} ({timing.zone})"


def _sentence(timing: Timing, lang: Lang) -> str:
    match timing.recurrence:
        case Once(at):
            return _say(lang, "once", **_local(at, timing))
        case Daily(times):
            return _say(lang, "daily", times=_times(times, lang))
        case Weekly(days, times):
            return _weekly(days, times, lang)
        case EveryWeeks(every, first, days, times):
            named = _join([_DAYS[lang][day] for day in days], lang, korean="·")
            return _say(lang, "weeks", count=every, days=named, times=_times(times, lang), day=first.isoformat())
        case Cron() as cron:
            return _by_time_of_day(cron, lang) or _by_step(cron, lang) or cron.expression
        case Interval(every, anchor):
            return _say(lang, "interval", length=_length(every, lang), **_local(anchor, timing))


def _say(lang: Lang, sentence: str, **words: object) -> str:
    return _SENTENCES[lang][sentence].format(**words)


def _local(moment: datetime, timing: Timing) -> dict[str, str]:
    local = moment.astimezone(find_zone(timing.zone))
    return {"day": local.date().isoformat(), "time": time_text(local.time().replace(microsecond=0))}


def _times(times: Sequence[time], lang: Lang) -> str:
    return _join([time_text(each) for each in times], lang, korean=", ")


def _join(words: Sequence[str], lang: Lang, *, korean: str) -> str:
    if lang == "ko":
        return korean.join(words)
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else words[0]


def _weekly(days: tuple[Weekday, ...], times: Sequence[time], lang: Lang) -> str:
    if len(days) == 7:
        return _say(lang, "daily", times=_times(times, lang))
    return _say(lang, "weekly", days=_list_days(days, lang), times=_times(times, lang))


def _list_days(days: tuple[Weekday, ...], lang: Lang) -> str:
    names = [_DAYS[lang][day] for day in days]
    if len(days) > 2 and days[-1] - days[0] == len(days) - 1:
        return f"{names[0]} to {names[-1]}" if lang == "en" else f"{names[0]}~{names[-1]}"
    return _join(names, lang, korean="·")


def _length(every: timedelta, lang: Lang) -> str:
    seconds = every // timedelta(seconds=1)
    # "Every day" would promise the same time of day; one day of elapsed time is 24 hours.
    units = _UNITS[1:] if seconds == 86_400 else _UNITS
    english, korean, size = next(unit for unit in units if seconds % unit[2] == 0)
    count = seconds // size
    if lang == "ko":
        return f"{count}{korean}"
    return english if count == 1 else f"{count} {english}s"


def _by_time_of_day(cron: Cron, lang: Lang) -> str | None:
    minute, hour, day, month, weekday = cron.fields
    minutes, hours = numbers(minute), numbers(hour)
    if minutes is None or hours is None or len(minutes) * len(hours) > _MOST_TIMES:
        return None
    times = tuple(time(*each) for each in product(hours, minutes))
    spoken, on_days, in_months = _times(times, lang), weekdays(weekday), months(month)
    if (day, month) == ("*", "*"):
        if weekday == "*":
            return _say(lang, "daily", times=spoken)
        return _weekly(on_days, times, lang) if on_days else None
    if weekday == "*" and month == "*" and day == "L":
        return _say(lang, "month_end", times=spoken)
    if weekday != "*" or not day.isdigit():
        return None
    if month == "*":
        return _say(lang, "monthly", day=int(day), times=spoken)
    if in_months is None or len(in_months) != 1:
        return None
    return _say(lang, "yearly", month=_MONTHS[lang][in_months[0] - 1], day=int(day), times=spoken)


def _by_step(cron: Cron, lang: Lang) -> str | None:
    """Every so often, within some hours of the day, on some days of the week."""
    minute, hour, day, month, weekday = cron.fields
    named_hours = None if step(hour) else numbers(hour)
    sentence = _say_step(minute, "*" if named_hours else hour, lang)
    on_days = weekdays("0-6" if weekday == "*" else weekday)
    if (day, month) != ("*", "*") or sentence is None or on_days is None:
        return None
    if named_hours:
        found = _spans(named_hours, is_daily=len(on_days) == 7)
        spans = [_say(lang, "span", first=f"{first:02}:00", last=f"{last:02}:59") for first, last in found]
        sentence = _say(lang, "within", every=sentence, spans=_join(spans, lang, korean=", "))
    return sentence if len(on_days) == 7 else _say(lang, "on", every=sentence, days=_list_days(on_days, lang))


def _say_step(minute: str, hour: str, lang: Lang) -> str | None:
    minutes, hours = step(minute), step(hour)
    if hours is None or 24 % hours:
        return None
    if minute.isdigit():
        return _say(lang, "hourly" if hours == 1 else "hours", count=hours, minute=int(minute))
    if hours != 1 or minutes is None or 60 % minutes:
        return None
    return _say(lang, "minute" if minutes == 1 else "minutes", count=minutes)


def _spans(hours: Sequence[int], *, is_daily: bool) -> list[tuple[int, int]]:
    """The first and the last hour of each that has no gap. Of every day, what goes on after midnight is one; of some
    days it is not: the morning after the last of them is left out."""
    found: list[tuple[int, int]] = []
    for hour in hours:
        if found and found[-1][1] == hour - 1:
            found[-1] = (found[-1][0], hour)
        else:
            found.append((hour, hour))
    if is_daily and len(found) > 1 and (found[0][0], found[-1][1]) == (0, 23):
        found = [*found[1:-1], (found[-1][0], found[0][1])]
    return found
