"""REST, the command line and CSV name and word every resource alike, because each is described once."""

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
from pabal.platform.resources import Listing, Noun, View, columns_of, find_name
from pabal.platform.resources.asks import asked_of
from pabal.platform.web.openapi import operations_of, schema_of
from tests.cli.inside import Inside
from tests.support.web import SECRET, Web

NOUNS: tuple[Noun, ...] = (*house.NOUNS, *messaging.NOUNS, *adgroups.NOUNS)
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


@pytest.mark.parametrize("noun", NOUNS, ids=lambda noun: f"{noun.area}-{noun.one}")
def test_every_field_and_every_code_has_a_word_in_both_languages(noun: Noun):
    for view in _views(noun.shows):
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
            assert list(shown["properties"]) == list(noun.shows.fields), listing.name


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


def _still(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Without what moves while one looks: how late something is, counted in seconds."""
    return [{name: value for name, value in item.items() if not name.endswith("_seconds")} for item in items]
