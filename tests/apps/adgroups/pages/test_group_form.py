"""The form of an ad group: nothing typed is lost, what is wrong is said at its field, what is right is saved."""

import re
from datetime import UTC, datetime
from typing import Any

import pytest

from pabal.apps.adgroups.model.dayparts import DayParts
from pabal.apps.adgroups.pages.group_form import Draft, understand
from pabal.apps.adgroups.store.adgroups import list_ad_groups
from pabal.platform.tenants import Scope
from tests.apps.adgroups.pages.house import APPROVED, BRANCH, LIST, House
from tests.support.pages import read, visitor
from tests.support.web import Web

NEW = f"{LIST}/new"
NOW = datetime(2026, 11, 16, 1, 0, tzinfo=UTC)
FILLED = {"name": "여름 음료", "campaign_id": "3", "start_at": "2026-11-20T09:00", "end_at": "2026-12-20T09:00"}


def filled(house: House, **changed: Any) -> dict[str, Any]:
    return {
        "name": "여름 음료 1차",
        "campaign_id": str(house.campaign_id),
        "start_at": "2089-06-22T09:00",
        "end_at": "2089-08-31T23:59",
        "zone": "Asia/Seoul",
        "hours": "parts",
        "mon": "09:00-12:30, 22:00-02:00",
        "once": "form-1",
        "do": "save",
        **changed,
    }


async def test_an_ad_group_is_made_once_from_the_text_fields(web: Web, house: House) -> None:
    client = await visitor(web, BRANCH)
    fresh = await read(client, f"{NEW}?campaign={house.campaign_id}")

    answers = [await client.post(NEW, data=filled(house)) for _ in range(2)]

    async with web.db.transaction() as tx:
        [made] = (await list_ad_groups(tx, Scope(None, None))).items
    assert f'<option value="{house.campaign_id}" selected>' in fresh
    assert {answer.headers["Location"] for answer in answers} == {f"{LIST}/{made.id}"}
    assert made.schedule.start_at == datetime(2089, 6, 22, tzinfo=UTC)
    assert made.schedule.dayparts == DayParts.from_json({"mon": [["09:00", "12:30"], ["22:00", "02:00"]]})
    again = await read(client, f"{LIST}/{made.id}/edit")
    assert 'name="mon" value="09:00-12:30, 22:00-02:00"' in again
    assert 'name="start_at" type="datetime-local" value="2089-06-22T09:00"' in again
    assert again.count('aria-pressed="mixed" data-day') == 1
    assert again.count('aria-pressed="true" data-day') == 3 + 2 + 2


async def test_what_does_not_fit_is_said_beside_its_field_and_nothing_typed_is_lost(web: Web, house: House) -> None:
    client = await visitor(web, BRANCH, lang="ko")

    answer = await client.post(NEW, data=filled(house, name="", end_at="2089-06-01T00:00", tue="한밤", off="성탄절"))

    page = answer.text
    assert answer.status_code == 422
    for field in ("name", "end_at", "tue", "off"):
        assert f'id="{field}-err"' in page, field
        assert f'href="#{field}"' in page, field
    assert "4가지를 고쳐야 합니다" in page
    assert 'name="tue" value="한밤"' in page
    assert 'name="off" type="text" value="성탄절"' in page
    assert 'name="mon" value="09:00-12:30, 22:00-02:00"' in page
    assert 'name="once" value="form-1"' in page


async def test_presets_and_the_preview_work_on_the_server(web: Web, house: House) -> None:
    client = await visitor(web, BRANCH)

    preset = await client.post(NEW, data=filled(house, do="preset:weekdays", name="두고 갈 이름"))
    preview = await client.post(f"{LIST}/preview", data=filled(house, name="", campaign_id=""))
    nothing = await client.post(f"{LIST}/preview", data=filled(house, start_at=""))

    assert preset.status_code == 200
    assert 'value="두고 갈 이름"' in preset.text
    assert re.findall(r'name="(\w{3})" value="09:00-18:00"', preset.text) == ["mon", "tue", "wed", "thu", "fri"]
    assert "Mon 09:00–12:30, 22:00–02:00 the next day KST" in preview.text
    assert "7.5 hours a week" in preview.text
    assert "<html" not in preview.text
    assert "Fill in dates and hours" in nothing.text


async def test_an_edit_that_came_too_late_or_too_early_says_so_and_keeps_what_was_typed(web: Web, house: House) -> None:
    made = await house.add("송출", *APPROVED)
    client = await visitor(web, BRANCH)
    path = f"{LIST}/{made.id}/edit"
    form = await read(client, path)
    kept = dict(re.findall(r'name="(start_at|end_at|version|campaign_id)"[^>]*value="([^"]*)"', form))
    typed = {**filled(house), **kept, "campaign_id": str(house.campaign_id), "start_at": made_start(form)}

    started = await client.post(path, data={**typed, "start_at": "2089-01-01T00:00", "end_at": "2089-02-01T00:00"})
    saved = await client.post(path, data=typed)
    stale = await client.post(path, data={**typed, "mon": "10:00-11:00"})
    again = re.findall(r'name="version" value="(\d+)"', stale.text)

    assert started.status_code == 422
    assert 'id="start_at-err"' in started.text
    assert saved.status_code == 303
    assert stale.status_code == 409
    assert 'name="mon" value="10:00-11:00"' in stale.text
    assert again == ["2"]
    assert (await client.post(path, data={**typed, "mon": "10:00-11:00", "version": again[0]})).status_code == 303
    dayparts = (await house.get(made.id)).schedule.dayparts
    assert dayparts == DayParts.from_json({"mon": [["10:00", "11:00"]]})


def made_start(form: str) -> str:
    [start] = re.findall(r'name="start_at" type="datetime-local" value="([^"]+)"', form)
    return str(start)


def test_a_whole_form_is_an_ad_group_on_the_clock_of_its_zone() -> None:
    week = {"hours": "parts", "mon": "9-18", "fri": "09:30–12:00, 22:00~02:00", "off": "2026-12-25 2026-11-23"}

    understood = understand(Draft(**FILLED, **week))

    assert understood.faults == []
    assert understood.new is not None
    schedule = understood.new.schedule
    assert schedule.start_at == datetime(2026, 11, 20, 0, 0, tzinfo=UTC)
    assert schedule.dayparts == DayParts.from_json(
        {
            "mon": [["09:00", "18:00"]],
            "fri": [["09:30", "12:00"], ["22:00", "02:00"]],
            "off": ["2026-11-23", "2026-12-25"],
        }
    )


@pytest.mark.parametrize(
    ("changed", "fields"),
    [
        ({"name": ""}, {"name"}),
        ({"name": "가" * 201}, {"name"}),
        ({"campaign_id": "nine"}, {"campaign_id"}),
        ({"zone": "Mars/Olympus"}, {"zone"}),
        ({"start_at": "tomorrow", "end_at": ""}, {"start_at", "end_at"}),
        ({"end_at": "2026-11-20T09:00"}, {"end_at"}),
        ({"end_at": "9999-01-01T00:00"}, {"end_at"}),
        ({"hours": "parts"}, {"hours"}),
        ({"hours": "parts", "mon": "9-18", "tue": "25:00-26:00"}, {"tue"}),
        ({"hours": "parts", "mon": "9:75-18", "sun": "night"}, {"mon", "sun"}),
        ({"hours": "parts", "mon": "9-18", "off": "Christmas"}, {"off"}),
    ],
)
def test_what_does_not_fit_is_said_at_its_field(changed: dict[str, Any], fields: set[str]) -> None:
    understood = understand(Draft(**{**FILLED, **changed}))

    assert understood.new is None
    assert sorted(one.field for one in understood.faults) == sorted(fields)
    assert all(one.code and all(one.text) for one in understood.faults)


def test_hours_survive_being_shown_and_read_again() -> None:
    dayparts = DayParts.from_json({"wed": [["09:00", "12:30"], ["20:00", "00:00"]], "off": ["2027-01-01"]})

    again = understand(Draft(**FILLED).with_hours(dayparts))

    assert again.dayparts == dayparts


def test_a_preset_fills_the_week_and_an_unknown_one_clears_it() -> None:
    weekdays = Draft(**FILLED, sun="10-12").with_preset("weekdays")

    assert (weekdays.hours, weekdays.mon, weekdays.fri, weekdays.sun) == ("parts", "09:00-18:00", "09:00-18:00", "")
    assert weekdays.with_preset("clear").mon == ""
    assert Draft.fresh(NOW).start_at == "2026-11-17T00:00"
