"""`pabal doctor`: what is well, what is not, and how to mend it."""

import typer

from pabal.cli.shell import Shell


def doctor(ctx: typer.Context) -> None:
    """Check everything Pabal needs, and say how to mend what is wrong."""
    shell: Shell = ctx.obj
    if not shell.run(_doctor(shell)):
        raise typer.Exit(1)


async def _doctor(shell: Shell) -> bool:
    from pabal.cli.checks import run_checks
    from pabal.cli.output import Answer

    rows = []
    async for check in run_checks(shell):
        mend = None if check.state == "ok" else shell.say(f"doctor.{check.name}")
        rows.append({"check": check.name, "state": check.state, "detail": check.detail, "mend": mend})
    shell.show(Answer(("state", "check", "detail", "mend"), rows))
    return all(row["state"] != "fail" for row in rows)
