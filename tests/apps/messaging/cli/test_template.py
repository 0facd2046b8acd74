"""`pabal msg template`: saved, replaced under the same name, used for a schedule, deleted."""

from pathlib import Path

from tests.apps.messaging.cli.test_saving import draw
from tests.cli.inside import Inside
from tests.support.messaging import World


async def test_a_template_is_saved_replaced_used_and_deleted(run: Inside, world: World, tmp_path: Path) -> None:
    [image] = draw(tmp_path, "a.gif")
    save = ("msg", "template", "save", "인사", "--org", "해운대점")

    tried = await run(*save, "--text", "안녕", "--dry-run")
    none = await run("msg", "template", "list", "--lang", "ko")
    made = await run(*save, "--text", "@-", "--images1", image, "-o", "json", said="안녕\n하세요\n")
    replaced = await run(*save, "--text", "반가워요", "-o", "json")
    used = await run(
        *("msg", "schedule", "new", "--room", "해운대 손님방", "--template", "인사", "--at", "+2h", "-o", "json")
    )
    deleted = await run("msg", "template", "delete", "인사", "--yes")

    assert (tried.code, none.out, "아직 템플릿이 없습니다" in none.err) == (0, "", True)
    assert (made.json["text"], made.json["unit_name"]) == ("안녕\n하세요", "해운대점")
    assert [one["name"] for one in made.json["images_1"]] == ["a.gif"]
    assert (replaced.json["id"], replaced.json["text"]) == (made.json["id"], "반가워요")
    assert (used.json["text"], used.json["images_1"], used.json["title"]) == (
        "반가워요",
        made.json["images_1"],
        "반가워요",
    )
    assert used.json["schedule_type"] == "once"
    assert deleted.code == 0
    assert (await run("msg", "template", "show", "인사")).code == 3


async def test_an_empty_template_is_refused_in_words(run: Inside, world: World) -> None:
    refused = await run("msg", "template", "save", "인사", "--lang", "ko")

    assert (refused.code, "--text: 보낼 것이 없습니다." in refused.err) == (2, True)
