"""The list of ad groups."""

import re

from pabal.apps.adgroups.model.adgroups import Event
from pabal.platform.actor import Role
from tests.apps.adgroups.pages.house import APPROVED, BRANCH, DAY, LIST, SEOUL, House, in_two_hours
from tests.support.pages import read, visitor
from tests.support.web import Web


async def test_a_row_says_the_state_why_what_is_next_when_and_in_which_hours(web: Web, house: House) -> None:
    hours, opens = in_two_hours(house.now)
    await house.add("저녁 광고", *APPROVED, dayparts=hours)
    await house.add("곧 시작", *APPROVED, start_at=house.now + DAY)
    await house.add("빈 초안", is_bare=True)
    await house.add("늦은 승인", Event.COMPLETE_SETUP, start_at=house.now - 3 * DAY, end_at=house.now - DAY)
    english, korean = await visitor(web, BRANCH), await visitor(web, BRANCH, lang="ko")

    page, other = await read(english, LIST), await read(korean, LIST)

    clock = opens.astimezone(SEOUL).strftime("%H:%M KST")
    rows = dict(re.findall(r'<a class="title" href="[^"]+">([^<]+)</a>(.*?)</tr>', page, re.S))
    rows_ko = dict(re.findall(r'<a class="title" href="[^"]+">([^<]+)</a>(.*?)</tr>', other, re.S))
    assert f"waiting until {clock}" in rows["저녁 광고"]
    assert f"{clock}까지 대기" in rows_ko["저녁 광고"]
    assert "DAILY_START" in rows["저녁 광고"]
    assert "every day" in rows["저녁 광고"]
    assert "START" in rows["곧 시작"]
    assert "no creative and no inventory yet" in rows["빈 초안"]
    assert "nothing by itself" in rows["빈 초안"]
    assert "has passed: give it new dates" in rows["늦은 승인"]
    assert 'data-state="pending">off-hours<' in page
    assert 'data-state="pending">일별 대기<' in other
    assert "2026 가을" in rows["빈 초안"]
    assert "machine" in rows["빈 초안"]


async def test_the_list_is_filtered_by_what_its_address_says_and_paged(web: Web, house: House) -> None:
    await house.add("가 초안")
    await house.add("나 준비", Event.COMPLETE_SETUP)
    await house.add("다 송출", *APPROVED)
    await house.add("라 삭제", Event.DELETE)
    client = await visitor(web, BRANCH)

    async def names(query: str) -> set[str]:
        page = await read(client, f"{LIST}?{query}")
        return {name[0] for name in re.findall(r'class="title" href="[^"]+">([^<]+)<', page)}

    assert await names("") == {"가", "나", "다"}
    assert await names("view=approval") == {"나"}
    assert await names("view=over") == {"라"}
    assert await names("state=draft,running") == {"가", "다"}
    assert await names("q=초안") == {"가"}
    assert await names(f"campaign={house.campaign_id}&source=machine&cursor=nonsense") == {"가", "나", "다"}
    assert await names("source=calculator") == set()
    assert "Nothing matches these filters" in await read(client, f"{LIST}?q=없음")


async def test_an_empty_list_says_how_to_begin_and_another_branch_sees_nothing(web: Web, house: House) -> None:
    made = await house.add("비밀 광고")
    other, viewer = await visitor(web, "gangnam"), await visitor(web, BRANCH, Role.VIEWER)

    page, seen = await read(other, LIST), await read(viewer, LIST)

    assert "no campaign to put one into" in page
    assert "비밀 광고" not in page
    for path in ("", "/edit", "/life"):
        assert (await other.get(f"{LIST}/{made.id}{path}")).status_code == 404, path
    assert (await other.post(f"{LIST}/{made.id}/send", data={"event": "delete"})).status_code == 404
    assert "비밀 광고" in seen
    assert 'name="id"' not in seen
    assert f'method="post" action="{LIST}' not in await read(viewer, f"{LIST}/{made.id}")
    for path, data in (
        (f"{made.id}/send", {"event": "delete"}),
        ("new", {"name": "x"}),
        ("bulk/send", {"event": "delete"}),
    ):
        assert (await viewer.post(f"{LIST}/{path}", data=data)).status_code == 403, path
    assert (await house.get(made.id)).state == "draft"


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
