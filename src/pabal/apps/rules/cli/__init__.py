"""`pabal rule`: rules and their runs from the command line. Only `app` is for others."""

import typer

from pabal.platform.commands.lazily import lazily
from pabal.platform.commands.shell import Shell
from pabal.platform.commands.tree import Later, tree
from pabal.platform.language import errors

with lazily():
    from pabal.apps.rules import errors as app_errors
    from pabal.apps.rules.cli import words
    from pabal.apps.rules.heartbeats import errors as heartbeat_errors
    from pabal.apps.rules.recall import errors as recall_errors

_HERE = "pabal.apps.rules.cli"
app = tree(
    "rule",
    "Rules: what runs by itself on a schedule, and tells people.",
    [
        Later("list", f"{_HERE}.rule:list_", "Lists rules, the newest first."),
        Later("show", f"{_HERE}.rule:show", "Shows one rule."),
        Later("new", f"{_HERE}.rule:new", "Makes a rule."),
        Later("edit", f"{_HERE}.rule:edit", "Changes only what is given."),
        Later("pause", f"{_HERE}.rule:pause", "Pauses a rule. What runs goes on."),
        Later("resume", f"{_HERE}.rule:resume", "Lets a rule go on with its next moment."),
        Later("run", f"{_HERE}.rule:run", "Runs a rule now, also while it is paused."),
        Later(
            "dry-run",
            f"{_HERE}.rule:dry_run",
            "Tries a rule: nothing is sent, and what would have been sent is shown with its run.",
        ),
        Later("delete", f"{_HERE}.rule:delete", "Deletes a rule."),
        Later("execution", f"{_HERE}.execution:app", "Runs of rules: what became of each time."),
        Later("init", f"{_HERE}.scripts:init", "Begins a repository of scripts here: an example, its test, a README."),
        Later(
            "check",
            f"{_HERE}.scripts:check",
            "Looks for mistakes in the scripts that are named, or in all. Nothing is run.",
        ),
        Later(
            "draft",
            f"{_HERE}.draft:draft",
            "Lets a language model propose a script and its test, as a diff on stdout. Nothing is written or run.",
        ),
        Later(
            "try",
            f"{_HERE}.scripts:try_",
            "Runs a script as a server would, dry: what it would send is shown, and nothing is sent.",
        ),
        Later(
            "lock", f"{_HERE}.scripts:lock", "Writes the versions of a script's packages into a lock file beside it."
        ),
        Later(
            "heartbeat",
            "pabal.apps.rules.heartbeats.cli:app",
            "Heartbeats: addresses that jobs elsewhere report to.",
        ),
        Later(
            "case",
            "pabal.apps.rules.recall.cli:app",
            "Cases: requests with good answers, as examples for a language model.",
        ),
    ],
)

# commands of the app with a word of their own
BESIDE = (
    Later(
        "plan",
        "pabal.apps.rules.plans.cli:app",
        "Plans: workflows that a language model proposes and a person approves.",
    ),
)


@app.callback()
def begin(ctx: typer.Context) -> None:
    shell: Shell = ctx.obj
    errors.add({**app_errors.KO, **heartbeat_errors.KO, **recall_errors.KO})
    shell.next_commands.update(words.NEXT)
