"""What the pages of ad groups share: their area and topics, and how they word sentences, faults and typed moments."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated
from zoneinfo import ZoneInfo

from pydantic import AfterValidator

from pabal.apps.adgroups import sentences
from pabal.apps.adgroups.machine import Checked
from pabal.apps.adgroups.sentences import Sentence
from pabal.engine.machine import Refusal
from pabal.engine.recurrence import instant_of
from pabal.platform.findings import Finding
from pabal.platform.language.pairs import Pair
from pabal.platform.web.filters import FIRST_YEAR, LAST_YEAR
from pabal.platform.web.visit import Visit

LIST = "/ads/groups"
DELAYED = "/ads/delayed"
TOPICS = "adgroup.*,adgroups.*"
MOST_CHOICES = 200

# a field of a form as it was typed
Typed = Annotated[str, AfterValidator(lambda text: text.replace("\0", "").strip()[:2000])]
CHOOSE = Finding("not_offered", "", ("Choose one.", "하나를 고르세요."))
NO_MOMENT = Finding(
    "unreadable", "", ("A moment reads 2026-07-03T09:20.", "날짜와 시각은 2026-07-03T09:20처럼 적으세요.")
)


def tell(visit: Visit, sentence: Sentence) -> str:
    return sentence.tell(visit.lang, _shower(visit))


def tell_condition(visit: Visit, checked: Checked) -> str:
    return sentences.tell_condition(checked, visit.lang, _shower(visit))


def tell_refusal(visit: Visit, refusal: Refusal) -> str:
    return sentences.tell_refusal(refusal, visit.lang, _shower(visit))


def _shower(visit: Visit) -> Callable[[datetime], str]:
    return sentences.teller(visit.now, visit.zone.key, visit.lang)


@dataclass(frozen=True, slots=True)
class Fault:
    """`what` did not happen, because of the finding; `typed` is what stood in its field."""

    what: Pair
    finding: Finding
    typed: str = ""


def at(field: str, finding: Finding) -> Finding:
    return replace(finding, field=field)


def read_local(visit: Visit, typed: str) -> datetime | None:
    """A moment as a visitor types it: on the wall clock of their own zone. None for what is no moment."""
    return read_wall_clock(typed, visit.zone)


def read_wall_clock(typed: str, zone: ZoneInfo) -> datetime | None:
    local = _read_typed(typed)
    return None if local is None else instant_of(local, zone)


def still_says(typed: str, moment: datetime, zone: ZoneInfo) -> bool:
    """Whether a field that showed this moment was left alone. It shows no more than seconds, and a browser may write
    them where we wrote none."""
    return _read_typed(typed) == moment.astimezone(zone).replace(tzinfo=None, microsecond=0)


def show_local(visit: Visit, moment: datetime) -> str:
    local = moment.astimezone(visit.zone).replace(tzinfo=None)
    return local.isoformat(timespec="seconds" if local.second else "minutes")


def _read_typed(typed: str) -> datetime | None:
    try:
        local = datetime.fromisoformat(typed.strip())
    except ValueError:
        return None
    return local if local.tzinfo is None and FIRST_YEAR <= local.year <= LAST_YEAR else None
