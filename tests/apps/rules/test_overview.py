from pabal.apps.rules import overview
from pabal.apps.rules.store import rules
from pabal.base.database import Database
from pabal.platform import demo
from pabal.platform.actor import ENGINE
from pabal.platform.overview import Card, FirstStep
from pabal.platform.slice import load_slices
from tests.support.rules import HOUSE, RulesWorld, failed


async def test_without_a_rule_the_card_says_what_to_do_first(world: RulesWorld) -> None:
    async with world.db.transaction() as tx:
        assert isinstance(await overview.card(tx, HOUSE), FirstStep)


async def test_the_card_the_search_and_what_needs_a_person(world: RulesWorld) -> None:
    rule = await world.rule("환율 점검", execution_script_path="a.py")
    world.scripts.answers = [failed("no answer")]
    await world.advance(minutes=10)

    async with world.db.transaction() as tx:
        card = await overview.card(tx, HOUSE)
        needs = await overview.list_needs(tx, HOUSE)
        [found] = await overview.find(tx, HOUSE, "환율")

    assert isinstance(card, Card)
    assert (card.value, card.bars, card.look) == (2, "x7", "fail")
    assert card.next_at == (await world.look(rule)).next_run_at
    assert [need.title[1] for need in needs] == ["환율 점검"]
    assert found.href == f"/rules/{rule.id}"
    assert overview.link(rule.about) == f"/rules/by-number/{rule.number}"


async def test_the_demo_comes_and_goes_whole(db: Database) -> None:
    slices = load_slices(["pabal.apps.rules"])
    async with db.transaction() as tx:
        await demo._fill(tx, slices, ENGINE)
        found = (await rules.list_rules(tx, HOUSE)).items
    assert [one.state for one in found] == ["active", "active", "paused", "active", "active"]
    assert found[-1].recent == "7" * 12

    await demo.clear(db, slices, ENGINE)

    async with db.transaction() as tx:
        assert (await rules.list_rules(tx, HOUSE)).items == []
