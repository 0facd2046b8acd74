"""REST, the command line and CSV name and word every resource alike, because each is described once."""

import csv
import importlib
import io
import pkgutil
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, get_args, get_type_hints

import pytest
import typer
from typer.main import get_command

from pabal import resources as house
from pabal.apps.adgroups import resources as adgroups
from pabal.apps.messaging import resources as messaging
from pabal.apps.relay import resources as relay
from pabal.apps.rendering import resources as rendering
from pabal.apps.rules import resources as rules
from pabal.apps.rules.heartbeats.resources import HEARTBEAT
from pabal.apps.rules.plans.resources import MODEL_USE, PLAN
from pabal.apps.rules.recall.resources import CASE
from pabal.base.database import Database
from pabal.base.settings import Settings
from pabal.cli.app import app
from pabal.platform import demo
from pabal.platform.commands.tree import Later
from pabal.platform.resources import Ask, Listing, Noun, Report, View, columns_of, find_name
from pabal.platform.resources.asks import asked_of
from pabal.platform.web.openapi import operations_of, schema_of
from tests.cli.inside import Inside
from tests.support.web import SECRET, Web

T = TypeVar("T")
NOUNS: tuple[Noun, ...] = (
    *house.NOUNS,
    *messaging.NOUNS,
    *adgroups.NOUNS,
    *relay.NOUNS,
    *rendering.NOUNS,
    *rules.NOUNS,
    HEARTBEAT,
    CASE,
    PLAN,
    MODEL_USE,
)
REPORTS: tuple[Report, ...] = (*house.REPORTS, *messaging.REPORTS, *rendering.REPORTS)
_PERIOD = ("--since", "2026-01-01", "--until", "2026-03-01")
# the command of each report, and which of its fields that answers; None: all of it
COMMANDS: dict[str, list[tuple[tuple[str, ...], str | None]]] = {
    "get_message_statistics": [(("msg", "report", *_PERIOD), None)],
    "get_message_usage": [
        (("msg", "report", "--by", one, *_PERIOD), f"{one}s") for one in ("unit", "room", "kind", "template", "reason")
    ],
    "get_render_statistics": [(("render", "stats"), None)],
    "list_upcoming": [(("next", "--for", "24h", "--limit", "100"), "items")],
}
# reports without a command, each with its reason
ONLY_REST = {
    "get_message_effect": "a table of seven days by twenty-four hours: the console draws it",
    "get_health": "`pabal status` tells more, to whoever is at the machine, and also where no server runs",
    "get_message_metrics": "the contract of the system it replaces; `pabal msg report` shows it as `counters`",
}
# lists whose command is written by hand, with what REST is asked for the same
_ALL = {"limit": 200}
BY_HAND: dict[str, tuple[tuple[str, ...], dict[str, Any]]] = {
    "list_jobs": (("jobs", "list", "--limit", "200"), _ALL),
    "list_schedules": (("schedules", "list", "--limit", "200"), {**_ALL, "sort": "id"}),
    "list_alerts": (("alert", "list", "--all", "--limit", "200"), _ALL),
    "list_approvals": (("inbox", "--limit", "200"), _ALL),
    "list_notifications": (("notice", "list", "--limit", "200"), _ALL),
    "list_migrations": (("ad", "migration", "status", "--limit", "200"), _ALL),
    "list_stuck_render_jobs": (("render", "stuck"), {}),
    "list_open_deliveries": (("msg", "delivery", "list", "--open"), {}),
}
# lists without a command of their own, each with its reason
NO_COMMAND = {
    "list_occurrences": "`pabal next` says what comes, `pabal why` what became of it",
    "list_facts": "`pabal tail` writes them as they come, the oldest first",
    "list_units": "`pabal org tree` draws them: the same fields, with how deep each stands",
    "list_servers": "`pabal status` shows them, with what waits for them",
    "list_state_flags": "`pabal ad migration flag` says beside them how many ad groups use which",
}
# views that only a command shows, each with its reason
ONLY_COMMANDS = {
    "StoreView": "which stores this machine's settings lead to",
    "FilesMovedView": "a move that this process does",
    "SentView": "an event for many: BulkResultView, and where each was",
    "FlagSetView": "the flag beside FlagChangedView's count",
    "DifferingView": "what a comparison would find: the list of mismatches is REST's",
    "ComparedView": "a comparison that this process does; REST's servers do it by themselves",
    "ReportView": "where this machine's file lies",
    "CopiedArchiveView": "where this machine's file lies",
    "PreviewView": "of a schedule that is saved; REST's preview is of a draft",
    "SkippedScheduleView": "the schedule beside SkippedView's moment",
    "SentScheduleView": "the schedule beside SentNowView's job",
}
# changes that cannot be tried, each with its reason
NO_DRY_RUN = {
    "check_render_job": "changes nothing: it is the trying",
    "mark_notifications_read": "one's own marks; no command does it",
    "set_preferences": "one's own; no command does it",
    "revoke_session": "one's own; no command does it",
    "make_telegram_code": "a code is shown once; one that was tried would not work",
    "unlink_telegram": "one's own; no command does it",
    "upload_file": "bytes lie outside the database: they cannot be taken back",
    "upload_image": "bytes lie outside the database: they cannot be taken back",
    "make_link": "it changes nothing here",
    "remove_file": "bytes lie outside the database: they cannot be taken back",
    "create_kb_schedule": "the contract of the system it replaces",
    "update_kb_schedule": "the contract of the system it replaces",
    "delete_kb_schedule": "the contract of the system it replaces",
    "toggle_kb_schedule": "the contract of the system it replaces",
    "preview_message_schedule": "it saves nothing",
    "tick": "the server does it anyway, all the time",
    "plan_migration": "it is the dry run of a migration",
}
HANGUL = re.compile("[가-힣]")
# words that Korean operators write in Latin letters
LATIN = {"ID", "PID", "SHA-256", "CSV", "CPU(%)", "SQL", "URL", "IP", "YAML"}


@dataclass(frozen=True)
class Described:
    """A command made from a description: where it stands, and what of."""

    path: tuple[str, ...]
    noun: Noun
    row: Any


@pytest.fixture
def web_settings(db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    # commands open what the servers sealed
    monkeypatch.setenv("PABAL_SECRET_KEY", SECRET)
    apps = "pabal.apps.messaging,pabal.apps.adgroups,pabal.apps.relay,pabal.apps.rendering,pabal.apps.rules"
    return Settings(database_url=db.url, data_dir=tmp_path / "data", port=0, bots_port=0, apps=apps, secret_key=SECRET)


@pytest.fixture
def web_is_demo() -> bool:
    return True


@pytest.mark.parametrize("noun", NOUNS, ids=lambda noun: f"{noun.area}-{noun.one}")
def test_what_a_description_names_is_there(noun: Noun):
    named = [noun.view, noun.find, noun.hold, noun.named, noun.words]
    named += [name for one in noun.listings for name in (one.load, one.count)]
    named += [noun.reads_key, *(name for one in noun.verbs for name in (one.action, one.view))]
    asks = [one.asks for one in noun.verbs if one.asks] + [one.wanted for one in noun.listings]
    named += [name for kind in asks for about in asked_of(kind).values() for name in (about.find, about.read)]

    for name in filter(None, named):
        assert find_name(name) is not None, name
    known = set(columns_of(noun.shows))
    assert set(noun.columns) | {name for one in noun.listings for name in one.columns} <= known
    assert set(noun.details) <= set(noun.shows.fields)
    # what cannot be asked for alone has no ETag
    changes = [one.name for one in noun.verbs if not one.makes and one.in_rest and noun.get_help]
    assert noun.hold or not changes, f"{noun.one}: If-Match of {changes} needs a row that can be held"


@pytest.mark.parametrize("report", REPORTS, ids=lambda report: report.name)
def test_what_a_report_names_is_there(report: Report):
    for name in (report.read, report.words, *(one.read for one in asked_of(report.wanted).values())):
        assert not name or find_name(name) is not None

    assert set(report.columns) <= set(columns_of(report.shows))
    hints = get_type_hints(report.shows)
    for name, columns in report.details.items():
        [held] = get_args(hints[name])
        assert set(columns) <= set(columns_of(held)), name


@pytest.mark.parametrize("described", [*NOUNS, *REPORTS], ids=lambda one: f"{one.area}-{one.shows.__name__}")
def test_every_field_and_every_code_has_a_word_in_both_languages(described: Noun | Report):
    for view in _views(described.shows):
        for name, about in columns_of(view).items():
            words = [about.label, *about.words.values()]
            assert all(english and korean for english, korean in words), f"{view.__name__}.{name}"
            assert all(HANGUL.search(korean) or korean in LATIN for _, korean in words), f"{view.__name__}.{name}"


async def test_the_schema_has_the_fields_of_the_view(web: Web):
    described = {one["operationId"]: one for _, _, one in operations_of(schema_of(web.site))}
    schemas = schema_of(web.site)["components"]["schemas"]

    for noun in NOUNS:
        for listing in noun.listings:
            page = described[listing.name]["responses"]["200"]["content"]["application/json"]["schema"]
            items = schemas[page["$ref"].rpartition("/")[2]]["properties"]["items"]["items"]
            shown = schemas[items["$ref"].rpartition("/")[2]]
            assert list(shown["properties"]) == noun.shows.names(), listing.name
    for report in REPORTS:
        answer = described[report.name]["responses"]["200"]["content"]["application/json"]["schema"]
        assert list(schemas[answer["$ref"].rpartition("/")[2]]["properties"]) == report.shows.names(), report.name


async def test_reports_are_the_same_in_rest_and_commands(web: Web, tmp_path: Path):
    """Of the demo's two months, or as it is now."""
    await demo.load(web.app.services, web.app.slices)
    client, run = await web.as_("hq"), Inside(tmp_path, web.db.url)
    paths = {one["operationId"]: path for path, _, one in operations_of(schema_of(web.site))}

    assert {*COMMANDS, *ONLY_REST} == {one.name for one in REPORTS}
    for name, commands in COMMANDS.items():
        for command, field in commands:
            asked = {"from": "2026-01-01T00:00:00Z", "to": "2026-03-01T00:00:00Z"} if "--since" in command else {}
            here = await client.get(paths[name], params=asked)
            there = await run(*command, "-o", "json", TZ="UTC")
            assert (here.status_code, there.code) == (200, 0), (command, here.text, there.err)
            answered = here.json() if field is None else here.json()[field]
            shown = there.json if field is None else there.json["items"]
            assert same(shown) == same(answered), command


async def test_what_a_verb_answers_has_the_fields_of_its_view(web: Web):
    described = {one["operationId"]: one for _, _, one in operations_of(schema_of(web.site))}
    schemas = schema_of(web.site)["components"]["schemas"]
    own = [(verb.operation or f"{verb.name}_{noun.operation}", verb) for noun in NOUNS for verb in noun.verbs]

    for name, verb in own:
        if verb.shows is not None and verb.in_rest:
            answer = described[name]["responses"][str(201 if verb.makes else verb.status)]
            shown = schemas[answer["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]]
            assert list(shown["properties"]) == verb.shows.names(), name
    assert sum(verb.shows is not None for _, verb in own) > 5


async def test_what_is_shown_by_hand_has_a_view_too(web: Web):
    """Of the house and of both apps: also what belongs to no noun and no report."""
    schemas = schema_of(web.site)["components"]["schemas"]

    for view in every_view():
        shown = schemas.get(view.__name__)
        assert (shown is None) == (view.__name__ in ONLY_COMMANDS), view.__name__
        assert shown is None or list(shown["properties"]) == view.names(), view.__name__
        for name, about in columns_of(view).items():
            assert all(about.label), f"{view.__name__}.{name}"
            assert HANGUL.search(about.label[1]) or about.label[1] in LATIN, f"{view.__name__}.{name}"


async def test_no_two_schemas_of_all_apps_together_have_one_title(web: Web):
    titles = Counter(one.get("title") for one in schema_of(web.site)["components"]["schemas"].values())

    assert {title for title, count in titles.items() if count > 1 and title is not None} == set()


def test_what_must_fit_together_is_in_the_schema():
    """`fits` refuses it, `cases` tell a client before it asks."""
    every_view()
    strict = [one for one in _subclasses(Ask) if one.fits is not Ask.fits]

    assert [one.__name__ for one in strict if not one.cases] == []
    assert len(strict) > 3


async def test_every_change_can_be_tried_first(web: Web):
    changes = [one for _, method, one in operations_of(schema_of(web.site)) if method != "GET"]
    lasting = {
        one["operationId"] for one in changes if all(each["name"] != "dry_run" for each in one.get("parameters", ()))
    }

    assert lasting == set(NO_DRY_RUN)


async def test_a_story_is_the_same_in_rest_and_in_its_command(web: Web, tmp_path: Path):
    """Its sentences are in the words of each face's clock; the command adds the commands to go on with."""
    await demo.load(web.app.services, web.app.slices)
    client, run = await web.as_("hq"), Inside(tmp_path, web.db.url)
    [first, *_] = (await client.get("/api/v1/schedules")).json()["items"]

    here = (await client.get(f"/api/v1/why/{first['id']}")).json()
    there = (await run("why", first["id"], "-o", "json")).json

    assert there.pop("next") is not None
    assert [one.pop("text") != "" for one in (*here["lines"], *there["lines"])]
    assert there == here


async def test_lists_are_the_same_in_rest_csv_and_commands(web: Web, tmp_path: Path):
    """The demo's things, as an administrator of the head office sees them on each face."""
    await demo.load(web.app.services, web.app.slices)
    client, run = await web.as_("hq"), Inside(tmp_path, web.db.url)
    paths = {one["operationId"]: path for path, _, one in operations_of(schema_of(web.site))}
    compared = 0

    for one in described_commands():
        if not isinstance(one.row, Listing) or "{" in paths[one.row.name]:
            continue
        here = await client.get(paths[one.row.name], params={} if one.row.is_short else {"limit": 200})
        there = await run(*one.path, *(() if one.row.is_short else ("--limit", "200")), "-o", "json")
        assert here.status_code == 200, (one.path, here.text)
        assert there.code == 0, (one.path, there.err)
        assert _still(there.json["items"]) == _still(here.json()["items"]), one.path
        compared += len(here.json()["items"])
        if not one.row.is_short:
            sheet = await client.get(paths[one.row.name], headers={"Accept": "text/csv"})
            printed = await run(*one.path, "--limit", "200", "-o", "csv")
            asked, typed = _rows(sheet.text.lstrip("\ufeff")), _rows(printed.out)
            assert asked[0] == typed[0] == list(one.noun.shows.fields), one.path
            assert _moving(typed) == _moving(asked[: len(typed)]), one.path

    assert compared > 30


async def test_lists_of_commands_written_by_hand_are_the_same(web: Web, tmp_path: Path):
    await demo.load(web.app.services, web.app.slices)
    client, run = await web.as_("hq"), Inside(tmp_path, web.db.url)
    paths = {one["operationId"]: path for path, _, one in operations_of(schema_of(web.site))}
    made = {one.row.name for one in described_commands() if isinstance(one.row, Listing)}

    assert {one.name for noun in NOUNS for one in noun.listings} == {*made, *BY_HAND, *NO_COMMAND}
    for name, (command, asked) in BY_HAND.items():
        here, there = await client.get(paths[name], params=asked), await run(*command, "-o", "json")
        assert (here.status_code, there.code) == (200, 0), (command, here.text, there.err)
        assert _still(there.json["items"]) == _still(here.json()["items"]), command


def every_view() -> list[type[View]]:
    for package in (house, messaging, adgroups):
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    found = list(_subclasses(View))
    return [view for view in found if ".resources." in view.__module__ and view.__module__.startswith("pabal.")]


def _subclasses(kind: type[T]) -> Iterator[type[T]]:
    for one in kind.__subclasses__():
        yield one
        yield from _subclasses(one)


def described_commands() -> list[Described]:
    return list(_walk(get_command(app), (), typer.Context(get_command(app))))


def _walk(command: Any, path: tuple[str, ...], ctx: Any) -> Iterator[Described]:
    found = command.load() if isinstance(command, Later) else command
    if hasattr(found, "list_commands"):
        for name in found.list_commands(ctx):
            yield from _walk(found.get_command(ctx, name), (*path, name), ctx)
        return
    callback = getattr(found.callback, "__wrapped__", found.callback)
    noun, row = getattr(callback, "described", None) or (None, None)
    if noun is not None:
        yield Described(path, noun, row)


def _views(view: type[View]) -> Iterator[type[View]]:
    yield view
    for hint in view.__annotations__.values():
        for inner in (hint, *getattr(hint, "__args__", ())):
            if isinstance(inner, type) and issubclass(inner, View):
                yield from _views(inner)


def _rows(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text)))


def _moving(rows: list[list[str]]) -> list[list[str]]:
    """Without the columns of what moves while one looks."""
    kept = [place for place, name in enumerate(rows[0]) if not name.endswith("_seconds")]
    return [[row[place] for place in kept] for row in rows]


def same(value: Any) -> Any:
    """Without what moves while one looks."""
    match value:
        case list():
            return [same(one) for one in value]
        case dict():
            return {name: same(one) for name, one in value.items() if not name.endswith("_seconds")}
    return value


def _still(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Without what moves while one looks: how late something is, counted in seconds."""
    return [{name: value for name, value in item.items() if not name.endswith("_seconds")} for item in items]
