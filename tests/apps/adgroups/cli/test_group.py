"""`pabal ad list|show|create|edit` and what belongs to an ad group."""

from pabal.engine import ids
from tests.apps.adgroups.cli.conftest import World
from tests.cli.inside import Inside


async def test_the_list_says_why_each_is_as_it_is_and_what_comes_next(run: Inside, world: World) -> None:
    listed = await run("ad", "list", "--state", "APPROVED", "--state", "draft", "-o", "json")
    people = await run("ad", "list", "--org", "부산총판", "--lang", "ko", COLUMNS="220")

    soon, draft = listed.json["items"]
    assert (soon["id"], soon["status"], soon["next_event"]) == (ids.show("adg", world.soon.id), "APPROVED", "START")
    assert soon["reason"].startswith("waiting until")
    assert (draft["status"], draft["next_event"], draft["unit_id"]) == ("DRAFT", None, world.campaign.unit_id)
    assert "일시중지" in people.out
    assert "소재와 인벤토리가 아직 없음" in people.out


async def test_one_is_made_with_everything_in_one_command_and_found_by_id_number_or_name(
    run: Inside, world: World
) -> None:
    options = ("--until", "2031-12-31", "--hours", "mon-fri 09:00-18:00", "--inventory", "main")
    made = await run(
        *("ad", "create", "--name", "새것", "--campaign", "세일", *options),
        *("--creative", "1안=https://cdn.example.com/1.png", "-o", "json"),
    )
    number = str(ids.read("adg", made.json["id"]))
    shown = [await run("ad", "show", name, "-o", "json") for name in (made.json["id"], number, "새것")]
    places = await run("ad", "inventory", "show", "새것", "-o", "json")

    assert (made.json["creatives"], [one["code"] for one in places.json["items"]]) == (1, ["main"])
    assert made.json["dayparts"]["fri"] == [["09:00", "18:00"]]
    assert made.json["end_at"] == "2031-12-31T15:00:00Z"
    assert [one.json for one in shown] == [made.json] * 3


async def test_an_edit_moves_its_delayed_events_and_what_does_not_fit_is_refused(run: Inside, world: World) -> None:
    edited = await run("ad", "edit", "곧", "--until", "+30d", "--name", "곧 시작", "-o", "json")
    waiting = await run("ad", "delayed", "list", "--event", "EXPIRE", "-o", "json")
    started = await run("ad", "edit", "송출", "--from", "+1d")
    unknown = await run("ad", "show", "없는 것", "--lang", "ko")

    assert (edited.code, edited.json["name"], edited.json["schedule_version"]) == (0, "곧 시작", 2)
    assert edited.json["end_at"] in {one["due_at"] for one in waiting.json["items"]}
    assert (started.code, unknown.code) == (5, 3)
    assert "already_started" in started.err
    assert "그런 광고그룹이 없" in unknown.err
    assert "pabal ad list" in unknown.err


async def test_creatives_inventory_and_campaigns_are_kept(run: Inside, world: World) -> None:
    added = await run(
        "ad", "creative", "add", "초안", "--name", "a", "--url", "https://cdn.example.com/a", "-o", "json"
    )
    [creative] = added.json["items"]
    removed = await run("ad", "creative", "remove", "초안", str(creative["id"]), "-o", "json")
    locked = await run("ad", "creative", "add", "곧", "--name", "a", "--url", "https://cdn.example.com/a")
    place = await run("ad", "inventory", "add", "side", "--name", "사이드", "--org", "부산총판", "-o", "json")
    chosen = await run("ad", "inventory", "set", "초안", "main", "side", "-o", "json")
    missing = await run("ad", "inventory", "set", "초안", "nowhere")
    winter = await run("ad", "campaign", "create", "겨울", "--org", "부산총판", "--until", "2031-12-31", "-o", "json")
    closed = await run("ad", "campaign", "edit", "겨울", "--state", "closed", "--until", "", "-o", "json")
    campaigns = await run("ad", "campaign", "list", "-o", "json")

    assert (removed.json["items"], locked.code, missing.code) == ([], 5, 3)
    assert (place.json["code"], [one["code"] for one in chosen.json["items"]]) == ("side", ["main", "side"])
    assert (winter.json["status"], winter.json["end_at"]) == ("OPEN", "2031-12-31T15:00:00Z")
    assert (closed.json["status"], closed.json["end_at"]) == ("CLOSED", None)
    assert [one["name"] for one in campaigns.json["items"]] == ["겨울", "세일"]
