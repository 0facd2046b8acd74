"""Groups of rooms in the console: kept, counted, and deleted again by whoever may."""

import re

from pabal.platform.actor import Role
from tests.apps.messaging.pages.house import BRANCH, build
from tests.support.pages import read, visitor
from tests.support.web import Web

HERE = "/messages/groups"


async def test_a_group_is_kept_listed_with_its_rooms_and_deleted(web: Web) -> None:
    await build(web)
    operator = await visitor(web, BRANCH, Role.OPERATOR)
    assert "No groups yet." in await read(operator, HERE)

    made = await operator.post(HERE, data={"name": "손님 <b>방</b>", "room_type": "production"})
    listed = (await operator.get(HERE)).text
    [group] = re.findall(r'id="group-(\d+)"', listed)
    deleted = await operator.post(f"{HERE}/{group}/delete")

    assert (made.status_code, deleted.status_code) == (303, 303)
    assert "손님 &lt;b&gt;방&lt;/b&gt;" in listed
    assert re.search(r'data-label="Rooms">1</td>', listed)
    assert "No groups yet." in await read(operator, HERE)


async def test_what_is_wrong_with_a_group_stands_at_its_field_and_a_viewer_only_looks(web: Web) -> None:
    await build(web)
    operator, viewer = await visitor(web, BRANCH, Role.OPERATOR), await visitor(web, BRANCH, Role.VIEWER)

    refused = await operator.post(HERE, data={"name": "", "tag": "점장"})
    page = await read(viewer, HERE)

    assert refused.status_code == 422
    assert 'aria-invalid="true"' in refused.text
    assert 'value="점장"' in refused.text
    assert "New group" not in page
    assert (await viewer.post(HERE, data={"name": "손님방"})).status_code == 403
