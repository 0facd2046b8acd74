"""What people read when an alert fires, is still there, or has ended."""

from pabal.base.database import Tx
from pabal.platform import notifications
from pabal.platform.alerts.model import AlertRule, Announcement, News
from pabal.platform.language.pairs import Pair
from pabal.platform.notifications import Notice

_TITLES: dict[News, Pair] = {
    News.FIRED: ("{what}", "{what}"),
    News.REMINDED: ("Still there: {what}", "아직 그대로입니다: {what}"),
    News.RESOLVED: ("Over: {what}", "끝났습니다: {what}"),
}
_NUMBERS: Pair = ("Now {value}, threshold {threshold}.", "지금 {value}, 기준 {threshold}.")


async def tell_people(tx: Tx, announcement: Announcement) -> None:
    await notifications.notify(tx, make_notice(announcement))


def make_notice(announcement: Announcement) -> Notice:
    news, alert, rule = announcement.news, announcement.alert, announcement.rule
    level = notifications.Level.INFO if news is News.RESOLVED else notifications.Level(alert.level)
    return Notice(
        name=f"alerts.{news}",
        title=_named(_TITLES[news], (alert.rule, alert.rule) if rule is None else rule.label, alert.about),
        text=_NUMBERS if rule is None or news is News.RESOLVED else _joined(_NUMBERS, rule.advice),
        values={"value": _number(alert.value, rule), "threshold": _number(alert.threshold, rule), "about": alert.about},
        level=level,
        unit_id=alert.unit_id,
        about=f"alert:{alert.id}",
        link=f"/alerts/{alert.id}",
    )


def _named(title: Pair, label: Pair, about: str) -> Pair:
    """Labels are text, not patterns: what they say in braces is not filled in."""
    english, korean = (_plain(word) + (" — {about}" if about else "") for word in label)
    return title[0].replace("{what}", english), title[1].replace("{what}", korean)


def _joined(numbers: Pair, advice: Pair) -> Pair:
    return f"{numbers[0]} {_plain(advice[0])}", f"{numbers[1]} {_plain(advice[1])}"


def _plain(word: str) -> str:
    return word.replace("{", "{{").replace("}", "}}").replace("|", "/")


def _number(value: float, rule: AlertRule | None) -> str:
    unit = "" if rule is None else rule.measure.unit
    return f"{round(value, 2):,.10g}" + (unit if unit == "%" else f" {unit}" if unit else "")
