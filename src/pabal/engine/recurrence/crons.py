"""Reading cron expressions as people do: what a field names, and which expressions rarely mean what was meant."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from pabal.engine.recurrence.forms import Cron, Weekday

Oddity = Literal[
    "every_minute_of_an_hour", "either_day_matches", "both_days_must_match", "months_skipped", "uneven_step"
]

_MONTHS = ("", "JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
# The days every such month has: in February it depends on the year, so 29 is not one of them.
_LENGTHS = (0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_DAYS = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")


@dataclass(frozen=True, slots=True)
class CronWarning:
    code: Oddity
    en: str
    ko: str


def cron_warnings(expression: str) -> list[CronWarning]:
    """Raises as Cron does when the expression is not valid."""
    minute, hour, day, month, weekday = Cron(expression).fields
    return [
        *_every_minute(minute, hour),
        *_both_days(day, weekday),
        *_months_skipped(day, month),
        *_uneven(minute, "minute", 60),
        *_uneven(hour, "hour", 24),
    ]


def numbers(field: str, names: tuple[str, ...] = ()) -> tuple[int, ...] | None:
    """What a plain list of numbers, names and ranges stands for; None for anything with `*`, `/`, `L`, `W` or `#`."""
    found: list[int] = []
    for term in field.split(","):
        ends = [names.index(end) if end in names else int(end) if end.isdigit() else None for end in term.split("-")]
        low, high = ends[0], ends[-1]
        if low is None or high is None:
            return None
        found += range(low, high + 1)
    return tuple(sorted(set(found)))


def weekdays(field: str) -> tuple[Weekday, ...] | None:
    found = numbers(field, _DAYS)
    # Cron counts from Sunday, and calls it both 0 and 7.
    return None if found is None else tuple(sorted({Weekday((number - 1) % 7) for number in found}))


def months(field: str) -> tuple[int, ...] | None:
    return numbers(field, _MONTHS)


def step(field: str) -> int | None:
    """15 of `*/15`, 1 of `*`; None for anything else."""
    if field == "*":
        return 1
    start, _, every = field.partition("/")
    return int(every) if start == "*" and every.isdigit() else None


def _every_minute(minute: str, hour: str) -> Iterator[CronWarning]:
    if step(minute) == 1 and step(hour) != 1:
        yield CronWarning(
            "every_minute_of_an_hour",
            f"Fires in every minute of the hour {hour}; for once, write a minute first.",
            f"{hour}시의 매분마다 실행됩니다. 한 번만 실행하려면 분을 적으세요.",
        )


def _both_days(day: str, weekday: str) -> Iterator[CronWarning]:
    if day == "*" or weekday == "*":
        return
    if day.startswith("*") or weekday.startswith("*"):
        yield CronWarning(
            "both_days_must_match",
            f"Fires only on days that match both {day} (day of month) and {weekday} (day of week).",
            f"날짜 {day} 와 요일 {weekday} 가 모두 맞는 날에만 실행됩니다.",
        )
    else:
        yield CronWarning(
            "either_day_matches",
            f"Fires on days that match either {day} (day of month) or {weekday} (day of week), not only both.",
            f"날짜 {day} 또는 요일 {weekday} 중 하나만 맞아도 실행됩니다.",
        )


def _months_skipped(day: str, month: str) -> Iterator[CronWarning]:
    chosen = months(month) or range(1, 13)
    late = [
        int(term) for term in day.split(",") if term.isdigit() and int(term) > min(_LENGTHS[each] for each in chosen)
    ]
    if late:
        listed = ", ".join(str(each) for each in late)
        yield CronWarning(
            "months_skipped",
            f"Months (or years) without day {listed} are skipped; L is the last day of every month.",
            f"{listed}일이 없는 달(해)은 건너뜁니다. 매월 말일은 L 로 적으세요.",
        )


def _uneven(field: str, name: str, size: int) -> Iterator[CronWarning]:
    every = step(field)
    if every is not None and size % every:
        unit = "분" if name == "minute" else "시간"
        yield CronWarning(
            "uneven_step",
            f"Every {every} {name}s starts again at 0, so the last step of each round is shorter.",
            f"{every}{unit} 간격은 0부터 다시 시작하므로 마지막 간격이 더 짧습니다.",
        )
