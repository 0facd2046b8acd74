"""Compositions and `aep_field_mapping` over HTTP: in, out, tried, and the cache."""

from collections.abc import Iterable

import pytest

from pabal.apps.rendering.exporting import AT_ONCE
from pabal.apps.rendering.model.compositions import Composition, FieldMapping
from pabal.apps.rendering.model.mapping_files import read_csv, read_json
from pabal.apps.rendering.samples import sample_compositions, sample_csv, sample_json
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
    # not one word of them is lost on the way in or out
    read, sample = (read_csv if format == "csv" else read_json)(out.text), sample_compositions()
    assert (by_id(read.compositions), by_field(read.mappings)) == (
        by_id(sample.compositions),
        by_field(sample.mappings),
    )


def by_id(compositions: Iterable[Composition]) -> dict[str, Composition]:
    return {one.id: one for one in compositions}


def by_field(mappings: Iterable[FieldMapping]) -> dict[tuple[str, str], FieldMapping]:
    return {(one.composition_id, one.field_name): one for one in mappings}


@pytest.mark.req("B-10")
async def test_a_file_that_comes_in_again_changes_what_it_changed_and_none_is_left_out_of_a_long_one(
    web: Web, studio: Studio
) -> None:
    client = await web.as_("hq")
    many = "id,name,template_src\n" + "".join(f"c-{n:03},C {n},D:/templates/c.aep\n" for n in range(AT_ONCE + 1))
    header = "composition_id,field_name,layer_name,kind,property\n"
    for rows in ("c-000,Slot 1 - name,Name,text,Source Text\n", "c-000,Slot 1 - name,Title,expression,Opacity\n"):
        sent = {"format": "csv", "content": f"{many}\n{header}{rows}"}
        assert (await client.post(f"{V1}/compositions/import", json=sent)).status_code == 201

    out = (await client.get(f"{V1}/compositions/export", params={"format": "csv"})).text

    found = read_csv(out)
    assert {one.id for one in found.compositions} >= {f"c-{n:03}" for n in range(AT_ONCE + 1)}
    changed = FieldMapping("c-000", "Slot 1 - name", "Title", "expression", "Opacity")
    assert [one for one in found.mappings if one.composition_id == "c-000"] == [changed]


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
