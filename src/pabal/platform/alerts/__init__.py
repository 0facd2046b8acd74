"""Measures sampled into series, rules on them, and the alerts they fire: acknowledged, silenced, resolved."""

from pabal.platform.alerts.actions import acknowledge, silence, silence_rule, unsilence, unsilence_rule
from pabal.platform.alerts.by_unit import and_ended, read_by_unit
from pabal.platform.alerts.evaluation import evaluate_once, read_limits
from pabal.platform.alerts.loops import make_loops
from pabal.platform.alerts.machine import ALERT, Event, State
from pabal.platform.alerts.measures import ENGINE_MEASURES
from pabal.platform.alerts.model import (
    AREA,
    KEEP_SAMPLES,
    REMIND_AFTER,
    SAMPLE_EVERY,
    Alert,
    AlertNotFound,
    AlertRule,
    Announcement,
    BadMeasure,
    BadRule,
    BadSilence,
    Level,
    Limit,
    Measure,
    News,
    NoteTooLong,
    Reading,
    RuleNotFound,
    Tell,
    check_rules,
    find_rule,
    list_rule_settings,
)
from pabal.platform.alerts.rules import ENGINE_RULES, RuleSeen, list_rules
from pabal.platform.alerts.sampling import prune_once, sample_once
from pabal.platform.alerts.series import BadChart, Chart, Point, Series, list_series, read_series
from pabal.platform.alerts.store import (
    Counts,
    RuleSilence,
    Wanted,
    count_open,
    get_alert,
    list_alerts,
    list_open,
    list_rule_silences,
)
from pabal.platform.alerts.telling import make_notice, tell_people

SETTINGS = (SAMPLE_EVERY, KEEP_SAMPLES, REMIND_AFTER)

__all__ = [
    "ALERT",
    "AREA",
    "ENGINE_MEASURES",
    "ENGINE_RULES",
    "KEEP_SAMPLES",
    "REMIND_AFTER",
    "SAMPLE_EVERY",
    "SETTINGS",
    "Alert",
    "AlertNotFound",
    "AlertRule",
    "Announcement",
    "BadChart",
    "BadMeasure",
    "BadRule",
    "BadSilence",
    "Chart",
    "Counts",
    "Event",
    "Level",
    "Limit",
    "Measure",
    "News",
    "NoteTooLong",
    "Point",
    "Reading",
    "RuleNotFound",
    "RuleSeen",
    "RuleSilence",
    "Series",
    "State",
    "Tell",
    "Wanted",
    "acknowledge",
    "and_ended",
    "check_rules",
    "count_open",
    "evaluate_once",
    "find_rule",
    "get_alert",
    "list_alerts",
    "list_open",
    "list_rule_settings",
    "list_rule_silences",
    "list_rules",
    "list_series",
    "make_loops",
    "make_notice",
    "prune_once",
    "read_by_unit",
    "read_limits",
    "read_series",
    "sample_once",
    "silence",
    "silence_rule",
    "tell_people",
    "unsilence",
    "unsilence_rule",
]
