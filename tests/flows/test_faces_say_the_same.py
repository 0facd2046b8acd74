"""REST, the command line and CSV name and word every resource alike, because each is described once."""

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
import typer
from typer.main import get_command

from pabal import resources as house
from pabal.apps.adgroups import resources as adgroups
from pabal.apps.messaging import resources as messaging
from pabal.base.database import Database
from pabal.base.settings import Settings
from pabal.cli.app import app
from pabal.platform import demo
from pabal.platform.commands.tree import Later
from pabal.platform.resources import Listing, Noun, Reading, View, columns_of, find_name
from pabal.platform.resources.asks import asked_of
from pabal.platform.web.openapi import operations_of, schema_of
from tests.cli.inside import Inside
from tests.support.web import SECRET, Web

NOUNS: tuple[Noun, ...] = (*house.NOUNS, *messaging.NOUNS, *adgroups.NOUNS)
READINGS: tuple[Reading, ...] = messaging.READINGS
_PERIOD = ("--since", "2026-01-01", "--until", "2026-03-01")
# the command of each reading, and which of its fields that answers; None: all of it
COMMANDS: dict[str, list[tuple[tuple[str, ...], str | None]]] = {
    "get_message_statistics": [(("msg", "report", *_PERIOD), None)],
    "get_message_usage": [
        (("msg", "report", "--by", one, *_PERIOD), f"{one}s") for one in ("unit", "room", "kind", "template", "reason")
    ],
}
# readings without a command, each with its reason
ONLY_REST = {
    "get_message_effect": "a table of seven days by twenty-four hours: the console draws it",
    "get_message_metrics": "the contract of the system it replaces; `pabal msg report` shows it as `counters`",
}
HANGUL = re.compile("[가-힣]")
# words that Korean operators write in Latin letters
LATIN = {"ID", "PID", "SHA-256", "CSV", "CPU(%)", "SQL", "URL", "IP"}


@dataclass(frozen=True)
class Described:
    """A command made from a description: where it stands, and what of."""

    path: tuple[str, ...]
    noun: Noun
    row: Any


@pytest.fixture
def web_settings(db: Database, tmp_path: Path) -> Settings:
    apps = "pabal.apps.messaging,pabal.apps.adgroups"
    return Settings(database_url=db.url, data_dir=tmp_path / "data", port=0, bots_port=0, apps=apps, secret_key=SECRET)


@pytest.fixture
def web_is_demo() -> bool:
    return True


@pytest.mark.parametrize("noun", NOUNS, ids=lambda noun: f"{noun.area}-{noun.one}")
def test_what_a_description_names_is_there(noun: Noun):
    named = [noun.view, noun.find, noun.hold, noun.named, noun.words]
    named += [name for one in noun.listings for name in (one.load, one.count)]
    named += [one.action for one in noun.verbs]
    asks = [one.asks for one in noun.verbs if one.asks] + [one.wanted for one in noun.listings]
    named += [name for kind in asks for about in asked_of(kind).values() for name in (about.find, about.read)]

    for name in filter(None, named):
        assert find_name(name) is not None, name
    known = set(columns_of(noun.shows))
    assert set(noun.columns) | {name for one in noun.listings for name in one.columns} <= known
    assert set(noun.details) <= set(noun.shows.fields)
    changes = [one.name for one in noun.verbs if not one.makes and one.in_rest]
    assert noun.hold or not changes, f"{noun.one}: If-Match of {changes} needs a row that can be held"


@pytest.mark.parametrize("reading", READINGS, ids=lambda reading: reading.name)
def test_what_a_reading_names_is_there(reading: Reading):
    for name in (reading.read, reading.words, *(one.read for one in asked_of(reading.wanted).values())):
        assert not name or find_name(name) is not None

    assert set(reading.columns) <= set(columns_of(reading.shows))
    hints = get_type_hints(reading.shows)
    for name, columns in reading.details.items():
        [held] = get_args(hints[name])
        assert set(columns) <= set(columns_of(held)), name


@pytest.mark.parametrize("described", [*NOUNS, *READINGS], ids=lambda one: f"{one.area}-{one.shows.__name__}")
def test_every_field_and_every_code_has_a_word_in_both_languages(described: Noun | Reading):
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
    for reading in READINGS:
        answer = described[reading.name]["responses"]["200"]["content"]["application/json"]["schema"]
        assert list(schemas[answer["$ref"].rpartition("/")[2]]["properties"]) == reading.shows.names(), reading.name


async def test_readings_are_the_same_in_rest_and_commands(web: Web, tmp_path: Path):
    """Of the demo's two months, or as it is now."""
    await demo.load(web.app.services, web.app.slices)
    client, run = await web.as_("hq"), Inside(tmp_path, web.db.url)
    paths = {one["operationId"]: path for path, _, one in operations_of(schema_of(web.site))}

    assert {*COMMANDS, *ONLY_REST} == {one.name for one in READINGS}
    for name, commands in COMMANDS.items():
        for command, field in commands:
            asked = {"from": "2026-01-01T00:00:00Z", "to": "2026-03-01T00:00:00Z"} if "--since" in command else {}
            here = await client.get(paths[name], params=asked)
            there = await run(*command, "-o", "json", TZ="UTC")
            assert (here.status_code, there.code) == (200, 0), (command, here.text, there.err)
            answered = here.json() if field is None else here.json()[field]
            shown = there.json if field is None else there.json["items"]
            assert _same(shown) == _same(answered), command


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
            assert [row[0] for row in typed] == [row[0] for row in asked[: len(typed)]], one.path

    assert compared > 30


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


def _same(value: Any) -> Any:
    """Without what moves while one looks."""
    match value:
        case list():
            return [_same(one) for one in value]
        case dict():
            return {name: _same(one) for name, one in value.items() if not name.endswith("_seconds")}
    return value


def _still(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Without what moves while one looks: how late something is, counted in seconds."""
    return [{name: value for name, value in item.items() if not name.endswith("_seconds")} for item in items]
