"""`pabal alert`: what is wrong now, who takes care of it, and the rules that tell it."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from pabal.cli.exits import read_id
from pabal.cli.options import Cursor, DryRun, Limit, Note, OrgOption, cut, scope_of, tell_more
from pabal.cli.shell import Shell, administrator

if TYPE_CHECKING:
    from datetime import datetime

    from pabal.base.database import Tx
    from pabal.platform.alerts import Alert, AlertRule, RuleSeen, RuleSilence

app = typer.Typer(help="Alerts: what is wrong now, and the rules that tell it.", no_args_is_help=True)

AlertId = Annotated[str, typer.Argument(metavar="ID", help="Like alr_01h2xcejqtf2n.")]
AlertOrRule = Annotated[
    str, typer.Argument(metavar="ID|RULE", help="An alert, or a whole rule such as engine.stuck_work.")
]
COLUMNS = ("id", "state", "level", "rule", "about", "value", "threshold", "fired_at", "note")
RULE_COLUMNS = ("rule", "state", "label", "worst", "beyond", "threshold", "held_for", "last_fired_at", "until")


@app.command("list")
def list_(
    ctx: typer.Context,
    history: Annotated[bool, typer.Option("--all", help="Those that are resolved, too.")] = False,
    rule: Annotated[str | None, typer.Option(help="Only of this rule.")] = None,
    org: OrgOption = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> None:
    """Those that are not resolved, newest first."""
    shell: Shell = ctx.obj

    async def work() -> None:
        from pabal.cli.output import Answer
        from pabal.platform import alerts
        from pabal.platform.alerts.store import LAST

        before = LAST if cursor is None else read_id("alr", cursor)
        wanted = alerts.Wanted(is_open=None if history else True, rule=rule, before=before)
        async with shell.transaction() as tx:
            found = await alerts.list_alerts(tx, await scope_of(tx, org), wanted, limit=limit + 1)
        page, has_more = cut(found, limit)
        rows = [_row(one) for one in page]
        after = rows[-1]["id"] if has_more else None
        shell.show(Answer(COLUMNS, rows, extra={"next_cursor": after}, empty="alert.none", family="alert"))
        tell_more(shell, after)

    shell.run(work())


@app.command()
def ack(ctx: typer.Context, alert: AlertId, note: Note = "", dry_run: DryRun = False) -> None:
    """Somebody takes care of it: no more reminders. It still ends by itself."""
    shell: Shell = ctx.obj

    async def work() -> None:
        from pabal.platform import alerts

        async with shell.change(dry_run=dry_run) as tx:
            after = await alerts.acknowledge(tx, administrator(), read_id("alr", alert), note=note)
        _show(shell, after)

    shell.run(work())


@app.command()
def silence(
    ctx: typer.Context,
    what: AlertOrRule,
    until: Annotated[str, typer.Option(help="+2h, 내일 09:00, tomorrow 09:00, an ISO moment; within 30 days.")] = "+1h",
    note: Note = "",
    dry_run: DryRun = False,
) -> None:
    """Nobody is told until then: of one alert, or for planned work of a whole rule."""
    shell: Shell = ctx.obj

    async def work() -> None:
        from pabal.platform import alerts
        from pabal.platform.commands.moments import read_moment

        done: Alert | RuleSilence
        async with shell.change(dry_run=dry_run) as tx:
            end = read_moment(until, tx.now)
            if "." in what:
                done = await alerts.silence_rule(tx, administrator(), _rule(shell, what), until=end, note=note)
            else:
                done = await alerts.silence(tx, administrator(), read_id("alr", what), until=end, note=note)
        _show(shell, done)

    shell.run(work())


@app.command()
def unsilence(ctx: typer.Context, what: AlertOrRule, note: Note = "", dry_run: DryRun = False) -> None:
    """People are told again."""
    shell: Shell = ctx.obj

    async def work() -> None:
        from pabal.cli.output import Answer
        from pabal.platform import alerts

        after = None
        async with shell.change(dry_run=dry_run) as tx:
            if "." in what:
                await alerts.unsilence_rule(tx, administrator(), _rule(shell, what))
                seen = await _seen(tx, shell, what)
            else:
                after = await alerts.unsilence(tx, administrator(), read_id("alr", what), note=note)
        if after is None:
            shell.show(Answer(RULE_COLUMNS, [seen], single=True))
        else:
            _show(shell, after)

    shell.run(work())


@app.command()
def rules(ctx: typer.Context, org: OrgOption = None) -> None:
    """Every rule: its limit, the worst value now, and when it last fired."""
    shell: Shell = ctx.obj

    async def work() -> None:
        from pabal.cli.output import Answer
        from pabal.platform import alerts

        async with shell.transaction() as tx:
            found = await alerts.list_rules(tx, await scope_of(tx, org), rules_of(shell))
        shell.show(Answer(RULE_COLUMNS, [_rule_row(shell, one) for one in found], empty="alert.no_rules"))

    shell.run(work())


def rules_of(shell: Shell) -> "tuple[AlertRule, ...]":
    """Of the engine and of every app that is loaded here."""
    return tuple(rule for one in shell.house for rule in one.alert_rules)


def _rule(shell: Shell, name: str) -> "AlertRule":
    from pabal.platform.alerts import find_rule

    return find_rule(rules_of(shell), name)


async def _seen(tx: "Tx", shell: Shell, name: str) -> dict[str, Any]:
    from pabal.platform import alerts

    [seen] = await alerts.list_rules(tx, await scope_of(tx, None), [_rule(shell, name)])
    return _rule_row(shell, seen)


def _show(shell: Shell, done: "Alert | RuleSilence") -> None:
    from dataclasses import asdict

    from pabal.cli.output import Answer
    from pabal.platform.alerts import Alert

    if isinstance(done, Alert):
        shell.show(Answer((*COLUMNS, "silenced_until", "said_by"), [_row(done)], single=True, family="alert"))
    else:
        shell.show(Answer(("rule", "until", "note", "by_name"), [asdict(done)], single=True))


def _row(alert: "Alert") -> dict[str, Any]:
    from dataclasses import asdict

    from pabal.engine import ids

    return {**asdict(alert), "id": ids.show("alr", alert.id)}


def _rule_row(shell: Shell, seen: "RuleSeen") -> dict[str, Any]:
    from pabal.base.settings import show_duration
    from pabal.platform.language import put

    rule, limit = seen.rule, seen.limit
    until: datetime | None = None if seen.silence is None else seen.silence.until
    return {
        "rule": rule.name,
        "state": seen.state,
        "label": put(shell.lang, rule.label),
        "level": rule.level.value,
        "measure": rule.measure.name,
        "unit": rule.measure.unit,
        "worst": None if seen.worst is None else seen.worst.last_value,
        "beyond": limit.beyond,
        "threshold": limit.threshold,
        "held_for": show_duration(limit.held_for),
        "open": seen.open_count,
        "last_fired_at": seen.last_fired_at,
        "until": until,
        "advice": put(shell.lang, rule.advice),
    }
