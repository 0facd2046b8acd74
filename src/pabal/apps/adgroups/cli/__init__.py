"""`pabal ad`: ad groups, their events and delayed events from the command line. Only `app` is for others."""

import typer

from pabal.platform.commands.lazily import lazily
from pabal.platform.commands.shell import Shell
from pabal.platform.commands.tree import Later, tree
from pabal.platform.language import errors

with lazily():
    from pabal.apps.adgroups import errors as app_errors
    from pabal.apps.adgroups.cli import words

_HERE = "pabal.apps.adgroups.cli"
app = tree(
    "ad",
    "Ad groups: campaigns, events, delayed events, migration.",
    [
        Later("list", f"{_HERE}.group:list_", "Lists ad groups, the newest first."),
        Later("show", f"{_HERE}.group:show", "One ad group, with its creatives and its inventory."),
        Later("create", f"{_HERE}.group:create", "A draft."),
        Later("edit", f"{_HERE}.group:edit", "Changes what is said; the rest stays."),
        Later("send", f"{_HERE}.events:send", "Sends an event."),
        Later(
            "many",
            f"{_HERE}.group:many",
            "One verb on many at once: those that are named, or all that a filter holds.",
        ),
        Later(
            "explain", f"{_HERE}.events:explain", "For each event: where it leads, or why not, condition by condition."
        ),
        Later(
            "forecast",
            f"{_HERE}.events:forecast",
            "What it will do if nobody interferes: its states, one after the other.",
        ),
        Later(
            "simulate",
            f"{_HERE}.events:simulate",
            "Its whole life from here, to its end: also as it would be after an event.",
        ),
        Later(
            "history",
            f"{_HERE}.events:history",
            "Every transition, the newest first: when, by which event, who, why.",
        ),
        Later(
            "at",
            f"{_HERE}.events:at",
            "In which state they were at a moment, by their histories.",
            cls=f"{_HERE}.timing:Moments",
        ),
        Later("delayed", f"{_HERE}.delayed:app", "Delayed events: what ad groups wait for."),
        Later("campaign", f"{_HERE}.group:campaigns", "Campaigns, which ad groups belong to."),
        Later("inventory", f"{_HERE}.group:inventory", "Inventory: where ads are shown."),
        Later("creative", f"{_HERE}.group:creatives", "Creatives: what an ad group shows."),
        Later("migration", f"{_HERE}.migration:app", "Migration: old ad groups brought over."),
        Later("flag", f"{_HERE}.mismatch:flags", "Flags: whose state is shown, the stored one or the calculator's."),
        Later("mismatch", f"{_HERE}.mismatch:mismatches", "Mismatches: where the calculator and the machine differ."),
        Later("serving", f"{_HERE}.serving:app", "Serving: what ad servers read from Redis."),
    ],
)


@app.callback()
def begin(ctx: typer.Context) -> None:
    shell: Shell = ctx.obj
    errors.add(app_errors.KO)
    shell.next_commands.update(words.NEXT)
