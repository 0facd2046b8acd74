"""What sources, skills, plans and heartbeats hand to the app's slice: each is taken in by one line there.

Beside these values the app takes in `heartbeats.api` (its `router` and its `DOORS`), `heartbeats.pages` before pages
whose path begins with an id, `heartbeats.cli:app` as `pabal rule heartbeat`, and the migration, under the next number
of the app: numbers have no gaps.
"""

from pabal.apps.rules.heartbeats import alert_rules, controls, labels
from pabal.apps.rules.heartbeats.errors import KO as HEARTBEAT_KO
from pabal.apps.rules.heartbeats.machine import HEARTBEAT
from pabal.apps.rules.heartbeats.model import AREA
from pabal.apps.rules.planner.errors import KO as PLANNER_KO
from pabal.apps.rules.plans import controls as plan_controls
from pabal.apps.rules.plans import labels as plan_labels
from pabal.apps.rules.plans import settings as plan_settings
from pabal.apps.rules.plans.approvals import APPROVABLE
from pabal.apps.rules.plans.errors import KO as PLAN_KO
from pabal.apps.rules.plans.machine import PLAN
from pabal.apps.rules.plans.model import AREA as PLANS
from pabal.apps.rules.plans.remembering import REMEMBERING
from pabal.apps.rules.recall import labels as recall_labels
from pabal.apps.rules.recall import settings as recall_settings
from pabal.apps.rules.recall.errors import KO as RECALL_KO
from pabal.apps.rules.recall.jobs import EMBED
from pabal.apps.rules.recall.telling import list_lacks
from pabal.apps.rules.scripts import KO as SCRIPT_KO
from pabal.apps.rules.skills import settings as skill_settings
from pabal.apps.rules.skills.choosing import CALL_WINDOW
from pabal.apps.rules.skills.errors import KO as SKILL_KO
from pabal.apps.rules.skills.steps import STEP
from pabal.apps.rules.skills.steps import STEPS as SKILL_STEPS
from pabal.apps.rules.sources.errors import KO as SOURCE_KO
from pabal.platform import alerts
from pabal.platform.controls import KindControls
from pabal.platform.language.pairs import Pair
from pabal.platform.overview import NavItem

MACHINES = (HEARTBEAT, PLAN)
CONTROLS = (controls.CONTROLS, plan_controls.CONTROLS)
KIND_CONTROLS = (
    *plan_controls.KIND_CONTROLS,
    KindControls(STEP, AREA),
    KindControls(EMBED, AREA, absences=list_lacks),
)
APPROVABLES = (APPROVABLE,)
STEPS = SKILL_STEPS
SUBSCRIBERS = (REMEMBERING,)
ERRORS = {**SOURCE_KO, **SKILL_KO, **SCRIPT_KO, **HEARTBEAT_KO, **RECALL_KO, **PLANNER_KO, **PLAN_KO}
NAMES = {**labels.NAMES, **plan_labels.NAMES}
ACTIONS = {**labels.ACTIONS, **recall_labels.ACTIONS, **plan_labels.ACTIONS}
STATUS = {**labels.STATUS, **recall_labels.STATUS, **plan_labels.STATUS}
SETTINGS = (
    *skill_settings.ALL,
    *plan_settings.ALL,
    *recall_settings.ALL,
    *alerts.list_rule_settings(alert_rules.RULES),
)
MEASURES, RULES = alert_rules.MEASURES, alert_rules.RULES
AREAS: dict[str, Pair] = {PLANS: ("Plans (propose only)", "계획(제안만)")}
LIMITS: dict[str, Pair] = {CALL_WINDOW: ("the language model's calls a day", "하루 언어 모델 호출 수")}
NAV = (
    NavItem("/rules/plans", ("Planner", "플래너"), PLANS),
    NavItem("/rules/cases", ("Memory", "기억한 사례"), AREA),
    NavItem("/rules/heartbeats", ("Heartbeats", "하트비트"), AREA),
)


def link(about: str) -> str | None:
    """Where a person sees what an `about` names."""
    machine, _, number = about.partition(":")
    pages = {HEARTBEAT.name: "/rules/heartbeats", PLAN.name: "/rules/plans"}
    return f"{pages[machine]}/{number}" if machine in pages else None
