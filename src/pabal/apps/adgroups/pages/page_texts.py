"""What the pages of ad groups share: their area and topics, and how they word sentences, faults and typed moments."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated
from zoneinfo import ZoneInfo

from pydantic import AfterValidator

from pabal.apps.adgroups import sentences
from pabal.apps.adgroups.machine import Checked
from pabal.apps.adgroups.model.adgroups import MOST_NAME
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
NEEDED = Finding("needed", "", ("Fill this in.", "꼭 채워야 하는 칸입니다."))
CHOOSE = Finding("not_offered", "", ("Choose one.", "하나를 고르세요."))
TOO_LONG = Finding("too_long", "", ("At most 200 characters.", "200자까지 적을 수 있습니다."))
NO_MOMENT = Finding(
    "unreadable", "", ("A moment reads 2026-07-03T09:20.", "날짜와 시각은 2026-07-03T09:20처럼 적으세요.")
)
ENDS_EARLY = Finding("ends_early", "", ("It must end after it starts.", "종료는 시작보다 늦어야 합니다."))


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


def check_name(name: str) -> list[Finding]:
    """What is wrong with it."""
    return [at("name", NEEDED)] if not name else [at("name", TOO_LONG)] if len(name) > MOST_NAME else []


def read_local(visit: Visit, typed: str) -> datetime | None:
    """A moment as a visitor types it: on the wall clock of their own zone. None for what is no moment."""
    return read_wall_clock(typed, visit.zone)


def read_wall_clock(typed: str, zone: ZoneInfo) -> datetime | None:
    try:
        local = datetime.fromisoformat(typed.strip())
    except ValueError:
        return None
    if local.tzinfo is not None or not FIRST_YEAR <= local.year <= LAST_YEAR:
        return None
    return instant_of(local, zone)


def show_local(visit: Visit, moment: datetime) -> str:
    local = moment.astimezone(visit.zone).replace(tzinfo=None)
    return local.isoformat(timespec="seconds" if local.second else "minutes")
