"""The seed's words at the edge: statuses and events in capitals, ids as programs see them."""

from collections.abc import Iterable
from enum import StrEnum

from pabal.apps.adgroups.labels import EVENTS, STATES
from pabal.apps.adgroups.model.adgroups import Event
from pabal.engine import ids
from pabal.platform.language.pairs import Pair

GROUP_PREFIX, CAMPAIGN_PREFIX = "adg", "cmp"
GROUP_EXAMPLE, CAMPAIGN_EXAMPLE = "adg_01h2xcejqtf2n", "cmp_01h2xcejqtf2n"
# where the descriptions of this app find what they name
APP = "pabal.apps.adgroups"
STATUS_WORDS = f"{APP}.labels:STATUS"


class AdGroupStatus(StrEnum):
    """A state in capitals: str.upper() is the only mapping."""

    DRAFT = "DRAFT"
    READY = "READY"
    APPROVED = "APPROVED"
    RUNNING = "RUNNING"
    PAUSED = "PAUSED"
    PENDING = "PENDING"
    EXPIRED = "EXPIRED"
    DELETED = "DELETED"


class AdGroupEvent(StrEnum):
    COMPLETE_SETUP = "COMPLETE_SETUP"
    APPROVE = "APPROVE"
    REJECT = "REJECT"
    PAUSE = "PAUSE"
    RESUME = "RESUME"
    DELETE = "DELETE"
    START = "START"
    EXPIRE = "EXPIRE"
    DAILY_START = "DAILY_START"
    DAILY_END = "DAILY_END"


class TimedEvent(StrEnum):
    START = "START"
    EXPIRE = "EXPIRE"
    DAILY_START = "DAILY_START"
    DAILY_END = "DAILY_END"


class CampaignStatus(StrEnum):
    PLANNED = "PLANNED"
    OPEN = "OPEN"
    CLOSED = "CLOSED"


EVENT_WORDS: dict[str, Pair] = {
    "BEGIN": ("made", "만듦"),
    **{event.upper(): word for event, word in EVENTS.items()},
}
STATE_WORDS: dict[str, Pair] = {state.upper(): word for state, word in STATES.items()}


def show_id(ad_group_id: int) -> str:
    return ids.show(GROUP_PREFIX, ad_group_id)


def show_campaign_id(campaign_id: int) -> str:
    return ids.show(CAMPAIGN_PREFIX, campaign_id)


def show_status(state: str) -> AdGroupStatus:
    return AdGroupStatus(state.upper())


def show_statuses(states: Iterable[str]) -> tuple[AdGroupStatus, ...]:
    return tuple(show_status(state) for state in states)


def show_event(event: str) -> AdGroupEvent:
    return AdGroupEvent(event.upper())


def read_event(name: AdGroupEvent | TimedEvent) -> Event:
    return Event(name.lower())
