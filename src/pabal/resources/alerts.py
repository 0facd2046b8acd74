"""Alerts: what is wrong, who takes care of it, and the rules that notice."""

from datetime import datetime
from typing import TYPE_CHECKING, Literal

from pabal.engine import ids
from pabal.platform.language.pairs import put
from pabal.platform.resources import Ask, Filter, Noun, View, Viewer, ask, field

if TYPE_CHECKING:
    from pabal.platform.alerts import Alert, AlertRule, RuleSeen

_ROWS, _VERBS = "pabal.resources.rows", "pabal.resources.verbs"
_ACTIONS = "pabal.platform.alerts"
LEVELS = {"info": ("info", "안내"), "attention": ("attention", "주의"), "failure": ("failure", "실패")}
BEYOND = {"above": ("above", "넘으면"), "below": ("below", "밑돌면")}


class AlertView(View):
    """One thing that is or was wrong. It ends by itself."""

    id: str = field(("ID", "ID"), example="alr_01h2xcejqtf2n")
    unit_id: int | None = field(("Unit", "조직"), kind="unit", example=3)
    rule: str = field(("Rule", "규칙"), example="engine.stuck_work")
    label: str = field(("What", "이름"), example="Work is stuck")
    advice: str = field(("Advice", "할 일"), example="See whether a server runs its kind.")
    about: str = field(("About", "대상"), example="")
    level: str = field(("Level", "단계"), words=LEVELS, example="failure")
    state: str = field(("State", "상태"), status="alert", example="firing")
    version: int = field(("Version", "판"), example=1)
    value: float = field(("Value", "값"), example=412.0)
    worst: float = field(("Worst", "최악"), example=412.0)
    threshold: float = field(("Limit", "기준"), example=300.0)
    since: datetime = field(("Since", "시작"))
    fired_at: datetime = field(("Fired", "발생"))
    seen_at: datetime = field(("Seen", "확인한 때"))
    silenced_until: datetime | None = field(("Silenced until", "무음 끝"))
    resolved_at: datetime | None = field(("Resolved", "해결"))
    said_by: str = field(("By", "한 사람"), example="engine")
    note: str | None = field(("Note", "비고"), example=None)


class AlertRuleView(View):
    """How a rule stands now. `silenced_until` is set while planned work keeps it silent."""

    name: str = field(("Rule", "규칙"), example="engine.stuck_work")
    label: str = field(("What", "이름"), example="Work is stuck")
    advice: str = field(("Advice", "할 일"), example="See whether a server runs its kind.")
    app: str = field(("App", "앱"), example="engine")
    measure: str = field(("Measure", "측정값"), example="work.oldest_ready")
    measure_unit: str = field(("Unit", "단위"), example="s")
    beyond: str = field(("Beyond", "방향"), words=BEYOND, example="above")
    threshold: float = field(("Limit", "기준"), example=300.0)
    held_for_seconds: float = field(("For (s)", "지속(초)"), example=120.0)
    level: str = field(("Level", "단계"), words=LEVELS, example="failure")
    state: str = field(("State", "상태"), example="ok")
    open_count: int = field(("Open", "열린 수"), example=0)
    worst_value: float | None = field(("Worst now", "지금 최악"), example=2.5)
    last_fired_at: datetime | None = field(("Last fired", "마지막 발생"))
    silenced_until: datetime | None = field(("Silenced until", "무음 끝"))
    note: str | None = field(("Note", "비고"), description="Why it is silent.", example=None)


class AlertFilter(Filter):
    state: Literal["firing", "acknowledged", "silenced", "resolved"] | None = ask("Only in this state.", default=None)
    # the command lists what is open unless it is told --all
    open: bool | None = ask("Only those that are open, or only those that are over.", rest_only=True, default=None)
    rule: str | None = ask("Only of this rule.", example="engine.stuck_work", default=None)


class AlertNote(Ask):
    note: str = ask(
        "Why, for whoever looks later.", option="--message,-m", metavar="TEXT", example="looking at it", default=""
    )


class AlertSilence(AlertNote):
    until: datetime = ask("Until when, within 30 days.")


def view_alert(alert: "Alert", viewer: Viewer) -> AlertView:
    rule: AlertRule | None = next(
        (one for app in viewer.apps() for one in app.alert_rules if one.name == alert.rule), None
    )
    return AlertView.of(
        alert,
        id=ids.show("alr", alert.id),
        label=alert.rule if rule is None else put(viewer.lang, rule.label),
        advice="" if rule is None else put(viewer.lang, rule.advice),
    )


def view_rule(seen: "RuleSeen", viewer: Viewer) -> AlertRuleView:
    rule, limit = seen.rule, seen.limit
    return AlertRuleView(
        name=rule.name,
        label=put(viewer.lang, rule.label),
        advice=put(viewer.lang, rule.advice),
        app=rule.area,
        measure=rule.measure.name,
        measure_unit=rule.measure.unit,
        beyond=limit.beyond,
        threshold=limit.threshold,
        held_for_seconds=limit.held_for.total_seconds(),
        level=rule.level,
        state=seen.state,
        open_count=seen.open_count,
        worst_value=None if seen.worst is None else seen.worst.last_value,
        last_fired_at=seen.last_fired_at,
        silenced_until=None if seen.silence is None else seen.silence.until,
        note=None if seen.silence is None else seen.silence.note,
    )


ALERT = Noun(
    "alert",
    "alerts",
    "alerts",
    AlertView,
    view=f"{__name__}:view_alert",
    find=f"{_ACTIONS}:get_alert",
    hold=f"{_ROWS}:hold_alert",
    named="pabal.cli.finding:find_alert",
    prefix="alr",
    columns=(
        *("id", "state", "level", "rule", "about", "value", "threshold", "fired_at", "note"),
        *("silenced_until", "said_by"),
    ),
    which="Like alr_01h2xcejqtf2n.",
    get_help="Shows one alert.",
    is_versioned=True,
    title="rule",
    page="/alerts/{id}",
)
ALERT.lists(
    "list_alerts",
    "Lists alerts, the newest first.",
    f"{_ROWS}:list_alerts",
    columns=("id", "state", "level", "rule", "about", "value", "threshold", "fired_at", "note"),
    empty=("No alerts.", "경보가 없습니다."),
    wanted=AlertFilter,
    command="",
)
ALERT.verb(
    "acknowledge",
    f"{_ACTIONS}:acknowledge",
    "Takes care of an alert: nobody is reminded of it any more.",
    AlertNote,
    command="ack",
)
ALERT.verb(
    "silence",
    f"{_ACTIONS}:silence",
    "Silences an alert until a moment; if it has not ended by then, it fires again.",
    AlertSilence,
    in_commands=False,
)
ALERT.verb("unsilence", f"{_ACTIONS}:unsilence", "Lets a silenced alert fire again.", AlertNote, in_commands=False)
_NOTE = {"note": ("Note", "메모")}
ALERT.on_many("acknowledge", ("Acknowledge", "확인"), labels=_NOTE)
ALERT.on_many("unsilence", ("End the silence", "무음 해제"), labels=_NOTE)

RULE = Noun(
    "rule",
    "alert-rules",
    "alerts",
    AlertRuleView,
    view=f"{__name__}:view_rule",
    columns=(
        *("name", "state", "label", "worst_value", "beyond", "threshold", "held_for_seconds", "last_fired_at"),
        "silenced_until",
    ),
    key="name",
    reads_key="pabal.api.parts:RuleName",
    needs=("rules",),
)
RULE.lists(
    "list_alert_rules",
    "Lists the rules that notice what is wrong, and how each stands now.",
    f"{_ROWS}:list_rules",
    columns=RULE.columns,
    empty=("No rules.", "규칙이 없습니다."),
    is_short=True,
    command="rules",
)
# `pabal alert silence` takes an alert or a rule
RULE.verb(
    "silence",
    f"{_VERBS}:silence_rule",
    "Silences a rule for planned work, for the whole house.",
    AlertSilence,
    answers_nothing=True,
    in_commands=False,
)
RULE.verb(
    "unsilence",
    f"{_VERBS}:unsilence_rule",
    "Ends the silence of a rule.",
    answers_nothing=True,
    in_commands=False,
)
