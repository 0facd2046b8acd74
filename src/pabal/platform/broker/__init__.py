"""The bridge to a broker (Redis Streams, Kafka): facts go out at least once, events come in and have one effect."""

from pabal.platform.broker.bridge import Bridge, open_bridges
from pabal.platform.broker.model import (
    AREA,
    BROKER,
    DUPLICATE,
    BadBrokerUrl,
    BadPatterns,
    BadResult,
    BadStream,
    BrokerAway,
    BrokerNotInstalled,
    Described,
    Event,
    EventHandler,
    EventNotApplied,
    EventUnknown,
    EventUnreadable,
    Kept,
    Result,
    Seen,
)
from pabal.platform.broker.settings import SETTINGS
from pabal.platform.broker.store import describe, list_events
from pabal.platform.broker.watching import ALERT_RULES, MEASURES
from pabal.platform.broker.words import STATUS

__all__ = [
    "ALERT_RULES",
    "AREA",
    "BROKER",
    "DUPLICATE",
    "MEASURES",
    "SETTINGS",
    "STATUS",
    "BadBrokerUrl",
    "BadPatterns",
    "BadResult",
    "BadStream",
    "Bridge",
    "BrokerAway",
    "BrokerNotInstalled",
    "Described",
    "Event",
    "EventHandler",
    "EventNotApplied",
    "EventUnknown",
    "EventUnreadable",
    "Kept",
    "Result",
    "Seen",
    "describe",
    "list_events",
    "open_bridges",
]
