"""One vocabulary for time: absolute with its zone, then relative. Never a bare 09:00."""

from datetime import datetime, timedelta, tzinfo

from pabal.platform.language.pairs import Lang

_DAYS = {"ko": "월화수목금토일", "en": ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")}
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def show_date(moment: datetime, lang: Lang, *, this_year: int | None = None) -> str:
    """7월 3일 (금) or Fri 3 Jul; the year when it is not this one. The moment is already in its zone."""
    day = _DAYS[lang][moment.weekday()]
    is_this_year = moment.year == this_year
    if lang == "ko":
        return f"{'' if is_this_year else f'{moment.year}년 '}{moment.month}월 {moment.day}일 ({day})"
    return f"{day} {moment.day} {_MONTHS[moment.month - 1]}{'' if is_this_year else f' {moment.year}'}"


def show_time(moment: datetime, *, seconds: bool = False) -> str:
    return moment.strftime("%H:%M:%S" if seconds else "%H:%M")


def show_zone(moment: datetime) -> str:
    return moment.tzname() or "UTC"


def show_moment(moment: datetime, zone: tzinfo, lang: Lang, *, now: datetime, seconds: bool = False) -> str:
    """As plain text: 7월 3일 (금) 09:20 KST."""
    local = moment.astimezone(zone)
    date = show_date(local, lang, this_year=now.astimezone(zone).year)
    return f"{date} {show_time(local, seconds=seconds)} {show_zone(local)}"


def show_relative(moment: datetime, now: datetime, lang: Lang) -> str:
    """8분 후, 12 min ago. The page's script goes on counting with the same words."""
    distance = moment - now
    said = show_span(abs(distance), lang)
    if abs(distance) < timedelta(seconds=1):
        return "지금" if lang == "ko" else "now"
    if lang == "ko":
        return f"{said} {'후' if distance > timedelta(0) else '전'}"
    return f"in {said}" if distance > timedelta(0) else f"{said} ago"


def show_span(span: timedelta, lang: Lang) -> str:
    """The largest unit that fits, rounded down: 45초, 8분, 3시간, 2일."""
    seconds = int(span.total_seconds())
    for size, (english, korean) in ((86400, ("d", "일")), (3600, ("h", "시간")), (60, ("min", "분"))):
        if seconds >= size:
            return f"{seconds // size}{korean}" if lang == "ko" else f"{seconds // size} {english}"
    return f"{seconds}초" if lang == "ko" else f"{seconds} s"
