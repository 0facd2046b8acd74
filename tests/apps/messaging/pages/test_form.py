"""The form of a schedule: every field of the seed, what is refused and told at its field, and nothing lost."""

import html
import re
from datetime import UTC, datetime, time

import httpx2
import pytest

from pabal.apps.messaging import settings
from pabal.apps.messaging.actions import schedules
from pabal.apps.messaging.model.content import SendOrder
from pabal.platform.actor import ENGINE, Role
from tests.apps.messaging.pages.house import BRANCH, House, build, filled, kept_pictures, picture, upload
from tests.support.messaging import add_room
from tests.support.pages import read, visitor
from tests.support.web import Web

NEW = "/messages/schedules/new"
SCRIPT = "<script>alert(1)</script>"


@pytest.fixture
async def house(web: Web) -> House:
    return await build(web)


# What each field is, as a pattern of its markup, and whether it may stay empty.
PLACE = {
    "title": (r'<input [^>]*id="title" name="title" type="text"[^>]* required', True),
    "description": (r'<textarea [^>]*id="description" name="description"', False),
    "room_id": (r'<select [^>]*id="room_id" name="room_id" required', True),
    "room_type": (
        r'type="radio" name="room_type" value="production".*type="radio" name="room_type" value="test"',
        True,
    ),
    "text": (r'<textarea [^>]*id="text" name="text" rows="10"', False),
}
CONTENT = {
    "images_1": (r'<input type="file" name="files_1" multiple accept="image/jpeg,image/png,image/gif"', False),
    "send_order": (r'name="send_order" value="text_first".*value="images_first".*value="images_only"', True),
    "send_interval_seconds": (r'id="send_interval_seconds" name="send_interval_seconds" type="number"', True),
    "media_wait_1": (r'id="media_wait_1" name="media_wait_1" type="number"', False),
    "media_wait_2": (r'id="media_wait_2" name="media_wait_2" type="number"', False),
}
TIME = {
    "schedule_type": (r'name="schedule_type" value="once".*value="daily".*value="weekly"', True),
    "schedule_time": (r'id="schedule_time" name="schedule_time" type="time"', True),
    "valid_from": (r'id="valid_from" name="valid_from" type="datetime-local"', True),
    "valid_until": (r'id="valid_until" name="valid_until" type="datetime-local"', True),
    "state": (r'name="state" value="active".*name="state" value="inactive"', True),
}


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param(PLACE, id="where", marks=pytest.mark.req("A-77", "A-78", "A-79", "A-80", "A-81")),
        pytest.param(CONTENT, id="what", marks=pytest.mark.req("A-82", "A-83", "A-84", "A-85", "A-86")),
        pytest.param(TIME, id="when", marks=pytest.mark.req("A-87", "A-89", "A-91", "A-92", "A-93")),
    ],
)
async def test_each_field_is_there_and_only_the_required_ones_must_be_filled_in(
    web: Web, house: House, fields: dict[str, tuple[str, bool]]
) -> None:
    client = await visitor(web, BRANCH, Role.OPERATOR)
    page = await read(client, NEW)

    # one picture is enough to send, so nothing else of the content is asked for
    refused = html.unescape((await client.post(NEW, data={"images_2": [await upload(client)]})).text)

    for name, (markup, is_required) in fields.items():
        assert re.search(markup, page, re.DOTALL), name
        assert (f'id="{name}-err"' in refused) == is_required, name
        assert (f'href="#{name}"' in refused) == is_required, name
    assert '<textarea class="form-control mg-text" id="text" name="text" rows="10"' in page
    assert await house.list() == []


@pytest.mark.req("A-88", "A-90")
async def test_a_date_is_asked_for_once_and_days_for_a_week_and_not_otherwise(web: Web, house: House) -> None:
    client = await visitor(web, BRANCH, Role.OPERATOR)
    nothing = {"schedule_date": "", "schedule_weekdays": []}

    once = await client.post(NEW, data=filled(house, schedule_type="once", **nothing))
    weekly = await client.post(NEW, data=filled(house, schedule_type="weekly", **nothing))
    daily = await client.post(NEW, data=filled(house, schedule_type="daily", **nothing))

    assert once.status_code == weekly.status_code == 422
    assert 'href="#schedule_date"' in once.text
    assert 'id="schedule_date-err"' in once.text
    assert 'href="#schedule_weekdays"' in weekly.text
    assert 'id="schedule_weekdays-err"' in weekly.text
    assert daily.status_code == 303


async def test_further_times_and_every_second_week_are_typed_shown_and_explained(web: Web, house: House) -> None:
    client = await visitor(web, BRANCH, Role.OPERATOR)
    wrong = await client.post(NEW, data=filled(house, more_times="13:00, later", every_weeks="often"))

    saved = await client.post(NEW, data=filled(house, more_times="18:30 13:00", every_weeks="2"))
    [made] = await house.list()
    form = await read(client, f"/messages/schedules/{made.id}/edit")
    page = await read(client, saved.headers["Location"])

    assert (wrong.status_code, 'id="more_times-err"' in wrong.text, 'id="every_weeks-err"' in wrong.text) == (
        422,
        True,
        True,
    )
    assert 'value="13:00, later"' in wrong.text
    assert (made.when.times, made.when.every_weeks) == ((time(9, 20), time(13), time(18, 30)), 2)
    assert ('value="13:00, 18:30"' in form, re.search(r'name="every_weeks"[^>]*value="2"', form) is not None) == (
        True,
        True,
    )
    assert "Every 2 weeks on Monday and Wednesday at 09:20, 13:00 and 18:30" in page


@pytest.mark.req("A-21")
async def test_what_an_administrator_registers_here_is_a_row_of_kb_schedule(web: Web, house: House) -> None:
    client, api = await visitor(web, BRANCH, Role.ADMIN), await web.as_(BRANCH, Role.VIEWER)
    form = await read(client, NEW)
    typed = filled(house, schedule_type="once", schedule_date="2088-06-04", schedule_weekdays=[])

    saved = await client.post(NEW, data=typed)
    [row] = (await api.get("/api/schedules")).json()["items"]

    assert f'action="{NEW}"' in form
    assert saved.headers["Location"] == f"/messages/schedules/{row['id']}"
    asked = {
        "title": "아침 안내",
        "description": "매일 보내는 것",
        "created_by_type": "branch",
        "created_by_id": str(web.tree.haeundae.id),
        "target_bot_name": "busan1",
        "target_room_id": "18200001",
        "message_text": "첫 줄\n\n둘째 줄 😊",
        "message_images_1": [],
        "message_images_2": [],
        "send_interval_seconds": 2,
        "media_wait_time_1": 4000,
        "media_wait_time_2": 0,
        "schedule_type": "once",
        "schedule_date": "2088-06-04",
        "schedule_time": "09:20:00",
        "schedule_weekdays": None,
        "status": "active",
        "send_count": 0,
        "send_order": "text_first",
        "room_type": "production",
    }
    assert {name: row[name] for name in asked} == asked
    moments = {name: datetime.fromisoformat(row[name]) for name in ("valid_from", "valid_until", "next_send_at")}
    assert moments == {
        "valid_from": datetime(2025, 12, 31, 15, tzinfo=UTC),
        "valid_until": datetime(2089, 12, 31, 14, 59, tzinfo=UTC),
        "next_send_at": datetime(2088, 6, 4, 0, 20, tzinfo=UTC),
    }


async def test_what_is_typed_is_what_is_saved(web: Web, house: House) -> None:
    client = await visitor(web, BRANCH, Role.OPERATOR)
    first, second = await upload(client, "하나.png"), await upload(client, "둘.gif", picture("GIF"))

    answer = await client.post(NEW, data=filled(house, images_1=[second, first], images_2=[first], once="form-1"))
    again = await client.post(NEW, data=filled(house, images_1=[second, first], images_2=[first], once="form-1"))

    [made] = await house.list()
    assert answer.status_code == again.status_code == 303
    assert answer.headers["Location"] == again.headers["Location"] == f"/messages/schedules/{made.id}"
    content = made.content
    assert (made.title, made.description, made.room_id, made.bot_id) == (
        "아침 안내",
        "매일 보내는 것",
        house.room_id,
        house.bot_id,
    )
    assert content.text == "첫 줄\n\n둘째 줄 😊"
    assert [each.name for each in content.images_1] == ["둘.gif", "하나.png"]
    assert [each.name for each in content.images_2] == ["하나.png"]
    assert (content.send_order, content.send_interval_seconds) == (SendOrder.TEXT_FIRST, 2)
    assert (content.media_wait_1, content.media_wait_2) == (4000, 0)
    assert (made.when.schedule_type, [int(day) for day in made.when.schedule_weekdays]) == ("weekly", [0, 2])


@pytest.mark.req("A-152")
async def test_nothing_typed_or_uploaded_is_lost_or_run_when_something_is_wrong(web: Web, house: House) -> None:
    client = await visitor(web, BRANCH, Role.OPERATOR)
    kept = await upload(client, f"{SCRIPT}.png")
    typed = filled(house, title=SCRIPT, description=f"{SCRIPT}d", text=f"  {SCRIPT}\nhttps://a.example/?q=<b>")

    answer = await client.post(NEW, data={**typed, "images_2": [kept], "valid_until": "2020-01-01T00:00"})

    assert answer.status_code == 422
    assert SCRIPT not in answer.text
    page = html.unescape(answer.text)
    assert f'value="{SCRIPT}"' in page
    assert f"{SCRIPT}d</textarea>" in page
    assert f"  {SCRIPT}\nhttps://a.example/?q=<b></textarea>" in page
    assert kept_pictures(answer.text, "images_2") == [kept]
    assert 'value="2020-01-01T00:00"' in page
    for day in ("0", "2"):
        assert f'name="schedule_weekdays" value="{day}" checked' in page
    assert 'id="valid_until-err"' in page
    preview = await client.post("/messages/schedules/preview", data=typed)
    assert SCRIPT not in preview.text
    made = await client.post(NEW, data={**typed, "images_2": [kept]})
    for path in ("/messages/schedules", made.headers["Location"]):
        assert SCRIPT not in (await client.get(path)).text


async def test_the_kind_of_room_must_be_that_of_the_room(web: Web, house: House) -> None:
    client = await visitor(web, BRANCH, Role.OPERATOR, lang="ko")

    answer = await client.post(NEW, data=filled(house, room_id=str(house.test_room_id)))

    assert answer.status_code == 422
    assert "고른 톡방은 테스트 톡방입니다" in answer.text
    assert await house.list() == []


@pytest.mark.req("A-100", "A-101", "A-150")
async def test_only_pictures_of_three_formats_up_to_10_mb_are_taken(web: Web, house: House) -> None:
    client = await visitor(web, BRANCH, Role.OPERATOR)

    async def send(name: str, content: bytes) -> tuple[int, str]:
        given = {"file": (name, content, "image/png")}
        answer = await client.post("/messages/files", data={"group": "images_2"}, files=given)
        return answer.status_code, answer.text

    taken = [await send(f"a.{kind}", picture(kind)) for kind in ("JPEG", "PNG", "GIF")]
    refused = [
        await send("a.webp", picture("WEBP")),
        await send("a.bmp", picture("BMP")),
        await send("a.png", b"MZ this is a program, not a picture"),
        await send("large.png", picture() + bytes(10 * 1024 * 1024)),
    ]

    assert settings.MAX_IMAGE_BYTES.default == 10
    assert [status for status, _ in taken] == [201, 201, 201]
    assert all(len(kept_pictures(text, "images_2")) == 1 for _, text in taken)
    assert [status for status, _ in refused] == [422] * 4
    assert all("data-bad" in text and not kept_pictures(text, "images_2") for _, text in refused)
    assert "10.0 MB; the limit is 10 MB per image" in refused[-1][1]


@pytest.mark.req("A-82", "A-97", "A-98", "A-99")
async def test_without_a_script_pictures_are_added_moved_and_removed(web: Web, house: House) -> None:
    client = await visitor(web, BRANCH, Role.OPERATOR)
    token = client.headers.pop("X-CSRF-Token")
    typed = {key: value for key, value in filled(house).items() if value != []}
    files = [("files_1", (f"{number}.png", picture(colour=number))) for number in range(11)]

    forged = await client.post(NEW, data={"csrf_token": "x" * 40, **typed}, files=files[:1])
    added = await client.post(NEW, data={"csrf_token": token, **typed, "do": "upload"}, files=files)

    assert forged.status_code == 403
    assert added.status_code == 422
    ids = kept_pictures(added.text, "images_1")
    assert len(ids) == 10
    assert "10.png: This group is full: 10 images at most." in html.unescape(added.text)
    wrong = [("files_2", ("쪽지.png", b"no picture"))]
    refused = await client.post(NEW, data={"csrf_token": token, **typed, "do": "upload"}, files=wrong)
    assert "쪽지.png: This is not a picture that can be opened" in html.unescape(refused.text)
    assert added.text.count("/thumbnail") >= 10
    thumbnail = await client.get(f"/messages/files/{ids[0]}/thumbnail")
    assert (thumbnail.status_code, thumbnail.headers["Content-Type"]) == (200, "image/webp")

    async def press(button: str, images: list[str]) -> tuple[list[str], list[str]]:
        given = {"csrf_token": token, **typed, "images_1": images, "do": button}
        shown = (await client.post(NEW, data=given)).text
        assert 'value="아침 안내"' in shown
        return kept_pictures(shown, "images_1"), kept_pictures(shown, "images_2")

    assert await press("right:images_1:0", ids[:3]) == ([ids[1], ids[0], ids[2]], [])
    assert await press("left:images_1:2", ids[:3]) == ([ids[0], ids[2], ids[1]], [])
    assert await press("drop:images_1:1", ids[:3]) == ([ids[0], ids[2]], [])
    assert await press("other:images_1:1", ids[:3]) == ([ids[0], ids[2]], [ids[1]])


async def test_an_edit_keeps_what_was_typed_when_somebody_else_was_quicker(web: Web, house: House) -> None:
    client = await visitor(web, BRANCH, Role.OPERATOR)
    await client.post(NEW, data=filled(house))
    [made] = await house.list()
    path = f"/messages/schedules/{made.id}/edit"
    shown = await read(client, path)
    async with web.db.transaction() as tx:
        await schedules.edit(tx, ENGINE, made.id, made.as_new())

    late = await client.post(path, data=filled(house, title="내 제목", version=str(made.version)))
    version = re.search(r'name="version" value="(\d+)"', late.text)
    saved = await client.post(path, data=filled(house, title="내 제목", version=version[1] if version else ""))

    assert 'value="아침 안내"' in shown
    assert 'name="schedule_weekdays" value="2" checked' in shown
    assert late.status_code == 409
    assert 'value="내 제목"' in late.text
    assert saved.status_code == 303
    assert [one.title for one in await house.list()] == ["내 제목"]


async def test_the_preview_is_in_the_order_of_sending_with_waits_moments_and_warnings(web: Web, house: House) -> None:
    client = await visitor(web, BRANCH, Role.OPERATOR, lang="ko")
    ids = [await upload(client, f"{number}.png", picture(colour=number)) for number in range(2)]

    async def look(**changed: object) -> str:
        typed = filled(house, images_1=ids, **changed)
        return html.unescape((await client.post("/messages/schedules/preview", data=typed)).text)

    first, second = await look(), await look(send_order="images_first")
    only, empty = await look(send_order="images_only"), await look(schedule_time="", room_id="")

    assert first.index("첫 줄") < first.index("0.png") < first.index("1.png")
    assert second.index("0.png") < second.index("1.png") < second.index("첫 줄")
    assert 'class="pb-bub-text"' not in only
    assert first.count("<li") >= 5
    assert first.count('class="abs"') == 5
    assert "+2초" in first
    assert "그림 사이 0.5초" in first
    assert "봇 'busan1'이(가) 지금 연결되어 있지 않습니다" in first
    assert "같은 톡방" in first or "발송 간격 (30초)" in first
    assert 'class="abs"' not in empty
    assert "<html" not in first


async def test_who_may_not_write_has_no_form_and_nobody_sends_to_rooms_of_others(web: Web, house: House) -> None:
    viewer = await visitor(web, BRANCH, Role.VIEWER)
    operator = await visitor(web, BRANCH, Role.OPERATOR)

    assert (await viewer.get(NEW)).status_code == 403
    assert (await viewer.post(NEW, data=filled(house))).status_code == 403
    sent = await viewer.post("/messages/files", files={"file": ("a.png", picture())})
    assert sent.status_code == 403
    page = await read(operator, NEW)
    assert "강남 손님방" not in page
    stolen = filled(house, room_id=str(house.other_room_id), bot_id=str(house.other_bot_id))
    refused = await operator.post(NEW, data=stolen)
    assert refused.status_code == 422
    assert 'id="room_id-err"' in refused.text
    assert await house.list() == []


WIZARD = "/messages/schedules/wizard"
WHERE = ("title", "room_type", "room_id", "bot_id")
WHAT = ("text", "send_order", "send_interval_seconds", "media_wait_1", "media_wait_2")
WHEN = ("schedule_type", "schedule_time", "schedule_weekdays", "zone", "valid_from", "valid_until", "late_policy")


def carried(page: str) -> dict[str, list[str]]:
    """The hidden fields of the form, as a browser would send them back."""
    found: dict[str, list[str]] = {}
    form = page[page.index('id="schedule"') :]
    for name, value in re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form):
        found.setdefault(name, []).append(html.unescape(value))
    return found


async def step(client: httpx2.AsyncClient, page: str, do: str, **typed: object) -> httpx2.Response:
    return await client.post(WIZARD, data={**carried(page), **typed, "do": do})


@pytest.mark.req("A-182")
async def test_four_steps_lead_to_a_schedule_and_going_back_loses_nothing(web: Web, house: House) -> None:
    client = await visitor(web, BRANCH, Role.OPERATOR, lang="ko")
    everything = filled(house)
    kept = await upload(client)

    def some(names: tuple[str, ...]) -> dict[str, object]:
        return {name: everything[name] for name in names}

    first = await read(client, WIZARD)
    hasty = await step(client, first, "next", title="")
    second = (await step(client, first, "next", **some(WHERE))).text
    third = (await step(client, second, "next", **some(WHAT), images_1=[kept])).text
    fourth = (await step(client, third, "next", **some(WHEN))).text
    back = (await step(client, fourth, "back", state="active")).text
    saved = await step(client, (await step(client, back, "next", **some(WHEN))).text, "save", state="active")

    assert 'aria-current="step"><b>어디로</b>' in first
    assert hasty.status_code == 422
    assert 'href="#title"' in hasty.text
    assert 'href="#schedule_type"' not in hasty.text
    assert 'aria-current="step"><b>무엇을</b><small>' in second
    assert "해운대 손님방 · busan1" in second
    assert 'aria-current="step"><b>언제</b>' in third
    assert kept_pictures(third, "images_1") == [kept]
    assert 'aria-current="step"><b>확인</b>' in fourth
    assert "매주 월·수 09:20 KST" in fourth
    assert "톡방의 제한 안에 있습니다" in fourth
    assert "다른 예약과 겹치지 않습니다" in fourth
    assert "이 톡방과 봇을 쓸 권한이 있습니다" in fourth or "지금 연결되어 있지 않습니다" in fourth
    assert 'name="schedule_weekdays" value="2" checked' in back
    assert 'name="schedule_time" type="time" value="09:20"' in back
    [made] = await house.list()
    assert saved.headers["Location"] == f"/messages/schedules/{made.id}"
    assert made.content.text == "첫 줄\n\n둘째 줄 😊"
    assert [each.file_id for each in made.content.images_1] == [int(kept)]


async def test_a_test_from_the_last_step_saves_it_inactive_and_the_schedule_goes_on_from_there(
    web: Web, house: House
) -> None:
    client = await visitor(web, BRANCH, Role.OPERATOR)
    typed = {**filled(house), "step": "4", "test_room_id": str(house.test_room_id)}

    tested = await client.post(WIZARD, data={**typed, "do": "test"})
    [made] = await house.list()
    again = await client.get(tested.headers["Location"])
    saved = await step(client, again.text, "save", state="active")

    assert made.state == "inactive"
    assert tested.headers["Location"] == f"{WIZARD}?draft={made.id}"
    assert 'aria-current="step"><b>Check</b>' in again.text
    assert saved.headers["Location"] == f"/messages/schedules/{made.id}"
    assert [(one.id, one.state) for one in await house.list()] == [(made.id, "active")]


async def test_saving_what_is_not_complete_leads_back_to_the_step_where_it_lacks(web: Web, house: House) -> None:
    client = await visitor(web, BRANCH, Role.OPERATOR)

    answer = await client.post(WIZARD, data={**filled(house, text=""), "step": "4", "do": "save"})

    assert answer.status_code == 422
    assert 'aria-current="step"><b>What</b>' in answer.text
    assert 'href="#text"' in answer.text
    assert await house.list() == []


async def test_the_form_sends_to_many_rooms_and_shows_what_each_reads(web: Web, house: House) -> None:
    client = await visitor(web, BRANCH, Role.OPERATOR)
    rooms = [await add_room(web.db, web.unit(BRANCH), f"1850{n}", f"단골방 {n}", bots=[house.bot_id]) for n in range(2)]
    data = {**filled(house), "room_id": "", "bot_id": "", "text": "{톡방} 여러분", "rooms": [str(one) for one in rooms]}

    preview = html.unescape((await client.post("/messages/schedules/preview", data=data)).text)
    refused = await client.post(NEW, data={**data, "text": "{모름}"})
    saved = await client.post(NEW, data={**data, "window_minutes": "20"})

    assert "단골방 0 여러분" in preview
    assert "단골방 1 여러분" in preview
    assert "2 rooms by 1 phone" in preview or "톡방 2곳을 전화기 1대로" in preview
    assert (refused.status_code, "{모름}" in html.unescape(refused.text)) == (422, True)
    assert saved.status_code == 303
    [made] = await house.list()
    assert made.audience is not None
    assert (made.audience.picked, made.audience.window_minutes) == (tuple(rooms), 20)
    again = await read(client, f"/messages/schedules/{made.id}/edit")
    assert again.count('name="rooms"') >= 2
    assert len(re.findall(r'name="rooms" value="\d+" checked', again)) == 2
