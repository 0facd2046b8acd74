"""How these settings are made: one group, one prefix."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from pabal.platform.language.pairs import Pair
from pabal.platform.settings import Choice, Setting

SENDING: Pair = ("Messages: sending", "메시지: 발송")
LIMITS: Pair = ("Messages: limits per room", "메시지: 톡방별 제한")
FORM: Pair = ("Messages: what may be written", "메시지: 작성 한도")
BOTS: Pair = ("Messages: bots", "메시지: 봇")
POLLING: Pair = ("Messages: polling", "메시지: 폴링")
LOGS: Pair = ("Messages: logs and reports", "메시지: 로그와 보고서")
SECONDS: Pair = ("s", "초")
TIMES: Pair = ("", "회")


def count(key: str, default: int, label: Pair, help: Pair, **more: Any) -> Setting[int]:
    return Setting(
        key=f"messaging.{key}", default=default, label=label, help=help, **{"least": 0, "most": 100_000, **more}
    )


def span(key: str, default: timedelta, label: Pair, help: Pair, **more: Any) -> Setting[timedelta]:
    options = {"least": timedelta(seconds=1), "most": timedelta(days=31), **more}
    return Setting(key=f"messaging.{key}", default=default, label=label, help=help, **options)


def choice(key: str, choices: tuple[Choice, ...], label: Pair, help: Pair, **more: Any) -> Setting[str]:
    """The first choice is the default."""
    return Setting(key=f"messaging.{key}", default=choices[0].value, label=label, help=help, choices=choices, **more)


def hours(key: str, default: str, label: Pair, check: Callable[[str], object], **more: Any) -> Setting[str]:
    help = (
        "Ranges of hours and minutes, both ends included, separated by commas.",
        "시:분-시:분을 쉼표로 나누어 적습니다. 양 끝을 포함합니다.",
    )
    return Setting(key=f"messaging.{key}", default=default, label=label, help=help, check=check, **more)


def or_off(english: str, korean: str) -> Pair:
    return (
        f"{english} 0 switches it off. A room may have its own.",
        f"{korean} 0이면 끕니다. 톡방마다 따로 정할 수 있습니다.",
    )
