"""Creatives and inventory, while an ad group is being set up."""

from tests.apps.adgroups.pages.house import APPROVED, BRANCH, LIST, House
from tests.support.pages import read, visitor
from tests.support.web import Web


async def test_creatives_and_inventory_are_added_and_taken_out_until_it_is_approved(web: Web, house: House) -> None:
    made = await house.add("초안", is_bare=True)
    client = await visitor(web, BRANCH)
    path = f"{LIST}/{made.id}"

    bad = await client.post(f"{path}/creatives", data={"name": "포스터", "url": "ftp://example.com"})
    unknown = await client.post(f"{path}/inventory", data={"code": "nowhere"})
    await client.post(f"{path}/creatives", data={"name": "포스터", "url": "https://cdn.example.com/b.png"})
    await client.post(f"{path}/inventory", data={"code": "busan-1"})
    both = await read(client, path)
    set_up = await house.get(made.id)
    await client.post(f"{path}/creatives/1/remove")
    await client.post(f"{path}/inventory/{house.inventory_id}/remove")
    none = await house.get(made.id)
    approved = await house.add("승인됨", *APPROVED)
    locked = await read(client, f"{LIST}/{approved.id}")
    late = await client.post(f"{LIST}/{approved.id}/creatives", data={"name": "더", "url": "https://example.com/c.png"})

    assert bad.status_code == unknown.status_code == 422
    assert 'value="ftp://example.com"' in bad.text
    assert "pb-fielderr" in bad.text
    assert 'value="nowhere"' in unknown.text
    assert 'href="https://cdn.example.com/b.png"' in both
    assert "해운대역 화면" in both
    assert (set_up.creatives, set_up.inventories) == (1, 1)
    assert (none.creatives, none.inventories) == (0, 0)

    assert f'action="{LIST}/{approved.id}/creatives"' not in locked
    assert "creatives change only before the approval" in locked
    assert late.status_code == 422
    assert "setup_locked" in late.text
