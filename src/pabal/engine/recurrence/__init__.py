"""When next? Recurrences on the wall clock of a zone, made instants by a declared rule. Pure: no database, no clock."""

from pabal.engine.recurrence.crons import CronWarning, cron_warnings
from pabal.engine.recurrence.forms import (
    BadCron,
    BadInterval,
    BadRecurrence,
    BadTimes,
    BadWindow,
    Cron,
    Daily,
    Interval,
    NaiveMoment,
    NeverFires,
    Once,
    OutOfCalendar,
    Recurrence,
    Weekday,
    Weekly,
    Window,
)
from pabal.engine.recurrence.previews import Upcoming, preview
from pabal.engine.recurrence.stored import BadStored, from_json, to_json
from pabal.engine.recurrence.timing import BadPolicy, Fold, Gap, Timing, UnknownZone, find_zone, instant_of
from pabal.engine.recurrence.words import Lang, describe

__all__ = [
    "BadCron",
    "BadInterval",
    "BadPolicy",
    "BadRecurrence",
    "BadStored",
    "BadTimes",
    "BadWindow",
    "Cron",
    "CronWarning",
    "Daily",
    "Fold",
    "Gap",
    "Interval",
    "Lang",
    "NaiveMoment",
    "NeverFires",
    "Once",
    "OutOfCalendar",
    "Recurrence",
    "Timing",
    "UnknownZone",
    "Upcoming",
    "Weekday",
    "Weekly",
    "Window",
    "cron_warnings",
    "describe",
    "find_zone",
    "from_json",
    "instant_of",
    "preview",
    "to_json",
]
