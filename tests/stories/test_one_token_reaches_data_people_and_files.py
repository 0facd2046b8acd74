"""Data, signing in and files are one API with one token and one description; and what a token may see is the same in
each of them."""

import pytest

from pabal.platform.actor import Role
from tests.support.web import Web

V1 = "/api/v1"


@pytest.mark.req("D-77", "D-78", "D-94")
async def test_one_token_reaches_data_people_and_files_and_another_branch_none_of_it(web: Web):
    mine, other = await web.as_("haeundae", Role.OPERATOR), await web.as_("nampo")
    described = (await mine.get("/openapi.json")).json()["paths"]

    me = (await mine.get(f"{V1}/me")).json()
    event = (
        await mine.post(
            f"{V1}/events", json={"name": "orders.paid", "event_id": "o-1"}, headers={"Idempotency-Key": "o-1"}
        )
    ).json()
    file = (await mine.post(f"{V1}/files?kind=any", files={"file": ("report.csv", b"a,b")})).json()
    path = f"{V1}/files/{file['id']}"
    content = (await mine.get(f"{path}/content")).content

    assert {f"{V1}/me", f"{V1}/events", f"{V1}/files", f"{V1}/files/{{id}}/link"} <= set(described)
    assert me["unit_id"] == file["unit_id"] == web.tree.haeundae.id
    assert (event["event_id"], content) == ("o-1", b"a,b")
    for address in (path, f"{path}/content", f"{V1}/event-log/{event['id']}"):
        assert (await other.get(address)).status_code == 404
    assert (await other.post(f"{path}/link", json={})).status_code == 404
    assert (await other.delete(path)).status_code == 404
    viewer = await web.as_("haeundae", Role.VIEWER)
    assert ((await viewer.get(path)).status_code, (await viewer.delete(path)).status_code) == (200, 403)
    assert (await mine.delete(path)).status_code == 204
