"""What sources, skills and heartbeats hand to the app's slice: each is taken in by one line there.

Beside these values the app takes in `heartbeats.api` (its `router` and its `DOORS`), `heartbeats.pages` before pages
whose path begins with an id, `heartbeats.cli:app` as `pabal rule heartbeat`, and the migration, under the next number
of the app: numbers have no gaps.
"""

from pabal.apps.rules.heartbeats import alert_rules, controls, labels
from pabal.apps.rules.heartbeats.errors import KO as HEARTBEAT_KO
from pabal.apps.rules.heartbeats.machine import HEARTBEAT
from pabal.apps.rules.heartbeats.model import AREA
from pabal.apps.rules.planner.errors import KO as PLANNER_KO
from pabal.apps.rules.recall import labels as recall_labels
from pabal.apps.rules.recall.errors import KO as RECALL_KO
from pabal.apps.rules.scripts import KO as SCRIPT_KO
from pabal.apps.rules.skills import settings as skill_settings
from pabal.apps.rules.skills.choosing import CALL_WINDOW
from pabal.apps.rules.skills.errors import KO as SKILL_KO
from pabal.apps.rules.sources.errors import KO as SOURCE_KO
from pabal.platform import alerts
from pabal.platform.language.pairs import Pair
from pabal.platform.overview import NavItem

MACHINES = (HEARTBEAT,)
CONTROLS = (controls.CONTROLS,)
ERRORS = {**SOURCE_KO, **SKILL_KO, **SCRIPT_KO, **HEARTBEAT_KO, **RECALL_KO, **PLANNER_KO}
NAMES = labels.NAMES
ACTIONS = {**labels.ACTIONS, **recall_labels.ACTIONS}
STATUS = {**labels.STATUS, **recall_labels.STATUS}
SETTINGS = (*skill_settings.ALL, *alerts.list_rule_settings(alert_rules.RULES))
MEASURES, RULES = alert_rules.MEASURES, alert_rules.RULES
LIMITS: dict[str, Pair] = {CALL_WINDOW: ("the language model's calls a day", "하루 언어 모델 호출 수")}
NAV = (NavItem("/rules/heartbeats", ("Heartbeats", "하트비트"), AREA),)


def link(about: str) -> str | None:
    """Where a person sees what an `about` names."""
    machine, _, number = about.partition(":")
    return f"/rules/heartbeats/{number}" if machine == HEARTBEAT.name else None
