"""Remembering what went well, and finding it again: for those who may see it."""

import pytest

from pabal.apps.rules.recall import actions, store
from pabal.apps.rules.recall.errors import BadCase, CaseNotFound
from pabal.apps.rules.recall.model import Case, Recalled, list_grams
from pabal.base.database import Database
from pabal.platform import audit
from pabal.platform.actor import ENGINE, Actor, NotAllowed, Role
from pabal.platform.tenants import Scope, UnitNotFound, visible_to
from tests.support.people import Tree, person

REQUESTS = (
    "어제 AI 뉴스 요약해서 텔레그램으로 보내줘",
    "매주 경쟁사 보도자료 모아서 보고서 만들어줘",
    "새 논문이 올라오면 알려줘",
    "부산 날씨를 아침마다 알려줘",
)
HOUSE = Scope(None, None)


async def remember(db: Database, unit_id: int, request: str, answer: str = "=== a.py") -> int:
    async with db.transaction() as tx:
        return (await actions.teach_case(tx, ENGINE, request=request, answer=answer, unit_id=unit_id)).id


async def remember_all(db: Database, unit_id: int) -> dict[str, int]:
    return {request: await remember(db, unit_id, request) for request in REQUESTS}


async def find(db: Database, actor: Actor, request: str) -> list[Recalled]:
    async with db.transaction() as tx:
        return await actions.find_nearest(tx, await visible_to(tx, actor), request)


async def look(db: Database, case_id: int) -> Case:
    async with db.transaction() as tx:
        return await store.get_case(tx, HOUSE, case_id)


async def test_the_nearest_case_comes_first_with_why_it_was_chosen(db: Database, tree: Tree):
    await remember_all(db, tree.haeundae.id)

    found = await find(db, person(tree.haeundae), "요약 AI 뉴스 지난주")

    assert found[0].case.request == REQUESTS[0]
    assert found[0].words == ("요약", "ai", "뉴스")
    assert 0.5 < found[0].score <= 1
    assert found == sorted(found, key=lambda one: -one.score)


async def test_a_request_that_has_nothing_in_common_recalls_nothing(db: Database, tree: Tree):
    await remember_all(db, tree.haeundae.id)

    assert await find(db, person(tree.haeundae), "completely different") == []


async def test_nobody_is_shown_a_case_of_another_branch(db: Database, tree: Tree):
    await remember_all(db, tree.haeundae.id)

    assert await find(db, person(tree.nampo), REQUESTS[0]) == []
    assert (await find(db, person(tree.hq), REQUESTS[0]))[0].case.request == REQUESTS[0]


async def test_a_pinned_case_goes_first_and_a_banned_one_is_never_used(db: Database, tree: Tree):
    cases, actor = await remember_all(db, tree.haeundae.id), person(tree.haeundae)
    other = await remember(db, tree.haeundae.id, "AI 뉴스 요약해서 번역해 줘")

    async with db.transaction() as tx:
        await actions.pin_case(tx, actor, other)
    assert [one.case.id for one in await find(db, actor, REQUESTS[0])][:2] == [other, cases[REQUESTS[0]]]

    async with db.transaction() as tx:
        await actions.ban_case(tx, actor, other)
    assert other not in [one.case.id for one in await find(db, actor, REQUESTS[0])]

    async with db.transaction() as tx:
        await actions.reset_case(tx, actor, other)
    assert [one.case.id for one in await find(db, actor, REQUESTS[0])][:2] == [cases[REQUESTS[0]], other]


async def test_what_is_forgotten_is_gone_and_counts_no_more(db: Database, tree: Tree):
    case_id = await remember(db, tree.haeundae.id, REQUESTS[0])

    async with db.transaction() as tx:
        await actions.forget_case(tx, person(tree.haeundae), case_id)

    async with db.transaction() as tx:
        assert await store.count_grams(tx, list_grams(REQUESTS[0])) == {}
        assert await store.load_cases(tx, [case_id]) == []
    assert await find(db, person(tree.haeundae), REQUESTS[0]) == []


async def test_a_secret_is_not_remembered(db: Database, tree: Tree):
    secret = "Zx81kQ77pLm0Aa93bV5cR2"

    case_id = await remember(db, tree.haeundae.id, f"password={secret} 로 읽어 줘", f"token = {secret}")

    case = await look(db, case_id)
    assert secret not in case.request + case.answer


async def test_the_same_case_is_remembered_once(db: Database, tree: Tree):
    first = await remember(db, tree.haeundae.id, REQUESTS[0])

    assert await remember(db, tree.haeundae.id, REQUESTS[0]) == first
    assert await remember(db, tree.nampo.id, REQUESTS[0]) != first


async def test_who_may_not_write_changes_no_case_and_who_cannot_see_it_finds_none(db: Database, tree: Tree):
    case_id = await remember(db, tree.haeundae.id, REQUESTS[0])

    with pytest.raises(NotAllowed):
        async with db.transaction() as tx:
            await actions.ban_case(tx, person(tree.haeundae, Role.VIEWER), case_id)
    with pytest.raises(CaseNotFound):
        async with db.transaction() as tx:
            await actions.forget_case(tx, person(tree.nampo), case_id)
    assert (await look(db, case_id)).standing == "normal"


async def test_the_audit_tells_who_pinned_it(db: Database, tree: Tree):
    case_id = await remember(db, tree.haeundae.id, REQUESTS[0])
    actor = person(tree.haeundae)

    async with db.transaction() as tx:
        await actions.pin_case(tx, actor, case_id)
        entry, taught = await audit.list_entries(tx, audit.Wanted(about=f"recall_case:{case_id}"))

    assert (entry.action, entry.actor) == ("rules.case_pin", actor.name)
    assert taught.action == "rules.case_teach"


@pytest.mark.parametrize(
    ("request_", "answer"), [("", "x"), ("...", "x"), ("가" * 2001, "x"), ("요청", ""), ("요청\0", "x")]
)
async def test_a_case_without_words_or_too_long_is_refused(db: Database, tree: Tree, request_: str, answer: str):
    with pytest.raises(BadCase):
        await remember(db, tree.haeundae.id, request_, answer)


async def test_nobody_teaches_for_a_unit_out_of_sight(db: Database, tree: Tree):
    with pytest.raises(UnitNotFound):
        async with db.transaction() as tx:
            await actions.teach_case(tx, person(tree.nampo), request="요청", answer="x", unit_id=tree.haeundae.id)
