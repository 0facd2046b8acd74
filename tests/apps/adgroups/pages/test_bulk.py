"""One event for many: looked at first, then sent."""

from pabal.apps.adgroups.model.adgroups import Event
from pabal.platform.actor import Role
from tests.apps.adgroups.pages.house import APPROVED, BRANCH, DAY, LIST, House, in_two_hours
from tests.support.pages import read, visitor
from tests.support.web import Web


async def test_the_preview_says_who_would_move_and_who_not_guard_by_guard_and_changes_nothing(
    web: Web, house: House
) -> None:
    running, resting = (
        await house.add("송출", *APPROVED),
        await house.add("쉬는 중", *APPROVED, dayparts=in_two_hours(house.now)[0]),
    )
    draft = await house.add("초안", is_bare=True)
    client = await visitor(web, BRANCH)
    chosen = {
        "event": "pause",
        "id": [str(one.id) for one in (running, resting, draft)],
        "back": f"{LIST}?view=running",
    }

    asked = await client.post(f"{LIST}/bulk", data=chosen)
    page = await read(client, asked.headers["Location"])
    setup = await read(client, f"{LIST}/bulk?event=complete_setup&id={draft.id}")

    assert asked.status_code == 303
    moving, _, refused = page.partition("Would be refused")
    assert "송출" in moving
    assert "쉬는 중" in moving
    assert moving.count("extension</span>") == 1
    assert "in this state there is no such move" in refused
    assert page.count('name="id"') == 2
    assert "it has no creative" in setup
    assert "it has no inventory" in setup
    assert (await house.get(running.id)).state == "running"


async def test_what_was_looked_at_is_sent_with_its_reason_and_the_refused_are_counted(web: Web, house: House) -> None:
    groups = [await house.add("송출", *APPROVED), await house.add("초안")]
    client = await visitor(web, BRANCH)

    sent = await client.post(
        f"{LIST}/bulk/send",
        data={"event": "pause", "id": [str(one.id) for one in groups], "reason": "가격 오타", "back": LIST},
    )

    assert sent.headers["Location"] == LIST
    assert [(await house.get(one.id)).state for one in groups] == ["paused", "draft"]
    assert "1 done, 1 refused" in await read(client, LIST)
    assert "가격 오타" in await read(client, f"{LIST}/{groups[0].id}")


async def test_a_right_one_does_not_have_is_a_condition_and_nothing_chosen_says_what_to_do(
    web: Web, house: House
) -> None:
    ready = await house.add("준비", Event.COMPLETE_SETUP, start_at=house.now + DAY)
    operator = await visitor(web, BRANCH, Role.OPERATOR)

    page = await read(operator, f"{LIST}/bulk?event=approve&id={ready.id}&id=nine")
    empty = await read(operator, f"{LIST}/bulk")

    assert "this needs the right to manage" in page
    assert 'name="id"' not in page
    assert "Tick some ad groups in the list" in empty
    assert (await operator.post(f"{LIST}/bulk/send", data={"event": "approve", "id": str(ready.id)})).status_code == 403
