"""What rules show on the console's front page and in its search, and where a person sees what an `about` names."""

from datetime import timedelta

from pabal.apps.rules.labels import REASONS
from pabal.apps.rules.model.rules import RULE_ABOUT, RUN_ABOUT, RuleRunState, Run, RunReason
from pabal.apps.rules.store import rules, runs
from pabal.apps.rules.store.runs import RunFilter
from pabal.apps.rules.wording import tell_briefly
from pabal.base.database import Tx
from pabal.platform.overview import Card, FirstStep, Found, Need
from pabal.platform.tenants import Scope

SINCE = timedelta(hours=24)
EACH = 5
BARS = 20


async def card(tx: Tx, scope: Scope) -> Card | FirstStep:
    page = await rules.list_rules(tx, scope, limit=200)
    if not page.items:
        return FirstStep(
            text=("Let something run by itself, and tell you.", "정해 둔 시각에 스스로 실행하고 알려 줍니다."),
            action=("New rule", "새 룰"),
            href="/rules/new",
            otherwise=("Or try it from the command line:", "명령줄에서도 만들 수 있습니다:"),
            command="pabal rule new 기사 --schedule '0 8 * * *' --source news_summary",
        )
    day = await runs.count_since(tx, scope, tx.now - SINCE)
    last = await runs.list_runs(tx, scope, RunFilter(with_dry=False), limit=BARS)
    bars = "".join(_bar(one) for one in reversed(last.items) if not one.is_open)
    nexts = [one.next_run_at for one in page.items if one.is_active and one.next_run_at is not None]
    return Card(
        value=day.runs,
        word=("runs in 24 hours", "24시간 실행"),
        bars=bars,
        look="fail" if day.failures else "good",
        trouble=(f"{day.failures} failed", f"실패 {day.failures}") if day.failures else ("", ""),
        next_at=min(nexts, default=None),
        href="/rules",
    )


def _bar(run: Run) -> str:
    if run.state is RuleRunState.SUCCESS:
        return "7"
    return "m" if run.reason in (RunReason.MISSED, RunReason.SKIPPED_OVERLAP) else "x"


async def list_needs(tx: Tx, scope: Scope) -> list[Need]:
    """The last run of a rule failed: somebody should look."""
    wanted = RunFilter(states=[RuleRunState.FAILURE.value], with_dry=False, since=tx.now - SINCE)
    failed = await runs.list_runs(tx, scope, wanted, limit=50)
    found, seen = list[Need](), set[int]()
    for run in failed.items:
        if run.rule_number in seen or len(found) == EACH:
            continue
        seen.add(run.rule_number)
        reason = REASONS.get(run.reason or "", ("failed", "실패"))
        found.append(
            Need(
                family="rule_run",
                state=run.state.value,
                title=(run.rule_name, run.rule_name),
                reason=tell_briefly(reason, run.log_summary),
                href=f"/rules/runs/{run.id}",
                action=("Look at it", "확인"),
                at=run.executed_at,
                severity="failure",
            )
        )
    return found


async def find(tx: Tx, scope: Scope, text: str) -> list[Found]:
    page = await rules.list_rules(tx, scope, q=text, limit=EACH)
    return [Found(("Rule", "룰"), one.name, one.schedule, f"/rules/{one.id}") for one in page.items]


def link(about: str) -> str | None:
    name, _, number = about.partition(":")
    if name == RULE_ABOUT:
        return f"/rules/by-number/{number}"
    return f"/rules/runs/by-number/{number}" if name == RUN_ABOUT else None
