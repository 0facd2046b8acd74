"""Templates and mapping: import with a check, a try with data, export, and the cache."""

import pytest

from pabal.apps.rendering.samples import sample_csv
from pabal.platform.actor import Role
from tests.support.pages import read, visitor
from tests.support.studio import COMPOSITION, NAME, Studio
from tests.support.web import Web

TEMPLATES = "/render/templates"
MAPPING = "composition_id,field_name,layer_name\nmini-chip-count,Slot 2 - name,Name 2\n"


@pytest.mark.req("B-10")
async def test_the_samples_are_imported_by_a_file_and_listed(web: Web, studio: Studio) -> None:
    client = await visitor(web, lang="ko")
    sent = await client.post(
        "/render/mapping/import",
        data={"go": "import"},
        files={"file": ("samples.csv", sample_csv().encode(), "text/csv")},
    )
    page = await read(client, TEMPLATES)

    assert sent.status_code == 303
    assert page.count('id="composition-') == 26
    assert "chip_counts.aep" in page


async def test_a_check_saves_nothing_and_mistakes_are_named_with_their_lines(web: Web, studio: Studio) -> None:
    client = await visitor(web, lang="ko")
    checked = await client.post("/render/mapping/import", data={"content": MAPPING, "go": "check"})
    wrong = await client.post("/render/mapping/import", data={"content": MAPPING + "none,Slot x,\n", "go": "import"})

    assert "컴포지션 0개, 항목 1개를 가져옵니다." in checked.text
    assert wrong.status_code == 422
    assert "3" in wrong.text
    assert "Name 2" not in await read(client, f"{TEMPLATES}/{COMPOSITION}")


async def test_data_is_tried_and_every_field_is_accounted_for(web: Web, studio: Studio) -> None:
    client = await visitor(web, "haeundae", Role.VIEWER, lang="ko")
    data = '{"slots": [{"slot_number": 1, "fields": {"name": "KIM", "nickname": "K"}}]}'
    page = await client.post(f"{TEMPLATES}/{COMPOSITION}/test", data={"gfx_data": data})
    broken = await client.post(f"{TEMPLATES}/{COMPOSITION}/test", data={"gfx_data": "{"})

    assert "Slot 1 - nickname" in page.text
    assert "Single - pot" in page.text
    assert "layerName" in page.text
    assert "JSON 객체로 적어 주세요." in broken.text


async def test_a_branch_uses_what_stands_above_it_and_cannot_change_it(web: Web, studio: Studio) -> None:
    branch = await visitor(web, "haeundae", lang="ko")

    assert NAME in await read(branch, TEMPLATES)
    assert (await branch.post(f"{TEMPLATES}/{COMPOSITION}/remove")).status_code == 404
    assert (await branch.post("/render/mapping/cache")).status_code == 403
    await read(await visitor(web, "haeundae", Role.OPERATOR), "/render/mapping/import", status=403)


async def test_what_is_exported_can_be_imported_again(web: Web, studio: Studio) -> None:
    client = await visitor(web)
    for kind in ("csv", "json"):
        out = await client.get(f"/render/mapping/export.{kind}")
        back = await client.post("/render/mapping/import", data={"content": out.text, "go": "import"})

        assert NAME in out.text
        assert back.status_code == 303, back.text
