"""Compositions and `aep_field_mapping` over HTTP: in, out, tried, and the cache."""

import pytest

from pabal.apps.rendering.samples import sample_csv, sample_json
from pabal.platform.actor import Role
from tests.support.studio import COMPOSITION, NAME, Studio, gfx
from tests.support.web import Web

V1 = "/api/v1/render"


@pytest.mark.req("B-10", "B-88")
@pytest.mark.parametrize(("format", "content"), [("csv", sample_csv()), ("json", sample_json())])
async def test_the_samples_come_in_and_go_out_again(web: Web, studio: Studio, format: str, content: str) -> None:
    client = await web.as_("hq")
    tried = await client.post(f"{V1}/compositions/import?dry_run=true", json={"format": format, "content": content})
    before = (await client.get(f"{V1}/compositions")).json()["items"]
    made = await client.post(f"{V1}/compositions/import", json={"format": format, "content": content})
    out = await client.get(f"{V1}/compositions/export", params={"format": format})
    again = await client.post(f"{V1}/compositions/import", json={"format": format, "content": out.text})
    rows = (await client.get(f"{V1}/mappings", params={"limit": 200})).json()["items"]

    assert (tried.status_code, len(before)) == (201, 1)
    assert made.json()["compositions"] == again.json()["compositions"] == 26
    assert len(rows) == made.json()["mappings"] == 84
    assert set(rows[0]) == {"composition_id", "field_name", "layer_name", "kind", "property"}


async def test_every_mistake_of_a_file_is_named_and_nothing_is_saved(web: Web, studio: Studio) -> None:
    client = await web.as_("hq")
    content = "composition_id,field_name,layer_name\nmini-chip-count,Slot 9 - name,Name 9\nnone,what,\n"
    wrong = await client.post(f"{V1}/compositions/import", json={"format": "csv", "content": content})

    assert (wrong.status_code, wrong.json()["code"]) == (422, "mapping_refused")
    assert len(wrong.json()["errors"]) >= 2
    assert "Slot 9" not in (await client.get(f"{V1}/mappings")).text


async def test_a_try_says_what_nexrender_would_get(web: Web, studio: Studio) -> None:
    client = await web.as_("haeundae", Role.VIEWER)
    own = await client.post(f"{V1}/compositions/{COMPOSITION}/test", json={"gfx_data": gfx(single_fields={"x": "1"})})
    sample = await client.post(f"{V1}/compositions/{COMPOSITION}/test", json={})

    assert own.json()["unmapped"] == ["Single - x"]
    assert own.json()["unused"] == ["Single - pot"]
    assert own.json()["job"]["template"]["composition"] == NAME
    assert sample.json()["is_sample"] is True


@pytest.mark.req("B-89", "B-119")
async def test_the_cache_is_cleared_by_the_head_office_only(web: Web, studio: Studio) -> None:
    cleared = await (await web.as_("hq")).post(f"{V1}/cache/clear")
    refused = await (await web.as_("haeundae")).post(f"{V1}/cache/clear")

    assert (cleared.status_code, refused.status_code) == (204, 403)


async def test_a_branch_sees_what_stands_above_and_nothing_beside_it(web: Web, studio: Studio) -> None:
    busan, gangnam = await web.as_("busan"), await web.as_("gangnam")
    content = "id,name,template_src\nbusan-only,Busan,busan.aep\n"
    made = await busan.post(f"{V1}/compositions/import", json={"format": "csv", "content": content})
    below, beside = (
        (await (await web.as_("haeundae")).get(f"{V1}/compositions")).json(),
        await gangnam.get(f"{V1}/compositions/busan-only"),
    )

    assert made.status_code == 201, made.text
    assert [one["id"] for one in below["items"]] == ["busan-only", COMPOSITION]
    assert beside.status_code == 404
    assert (await gangnam.delete(f"{V1}/compositions/busan-only")).status_code == 404
    assert "busan-only" not in (await gangnam.get(f"{V1}/compositions/export")).text
    assert (await busan.delete(f"{V1}/compositions/busan-only")).status_code == 204
