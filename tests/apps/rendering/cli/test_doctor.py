"""`pabal doctor` beside a nexrender: whether it answers, and whether films can be read and delivered."""

from typing import Any

from tests.cli.inside import Inside
from tests.support.rendering import RenderWorld

LOOKED_AT = ("nexrender", "nas", "output")


async def ask(world: RenderWorld, **given: str) -> dict[str, dict[str, Any]]:
    run = Inside(world.folder, world.db.url)
    told = await run("doctor", "-o", "json", PABAL_APPS="pabal.apps.rendering", **given)
    return {row["check"]: row for row in told.json["items"]}


async def test_a_worker_whose_nexrender_and_folders_can_be_used_is_well(world: RenderWorld) -> None:
    output = world.folder / "films"
    output.mkdir()
    farm = {"NAS_MOUNT_PATH": str(world.folder), "PABAL_RENDERING_OUTPUT_DIR": str(output), "NAS_OUTPUT_DIR": "films"}
    well = await ask(world, NEXRENDER_API_URL=world.nexrender.url, **farm)
    elsewhere = await ask(world)

    assert {name: well[name]["state"] for name in LOOKED_AT} == dict.fromkeys(LOOKED_AT, "ok")
    # nothing is rendered by a server without a nexrender
    assert not set(LOOKED_AT) & set(elsewhere)


async def test_what_does_not_answer_or_cannot_be_written_is_said_with_how_to_mend_it(world: RenderWorld) -> None:
    farm = {"NAS_MOUNT_PATH": "/proc", "PABAL_RENDERING_OUTPUT_DIR": "D:/nowhere"}
    ill = await ask(world, NEXRENDER_API_URL="http://127.0.0.1:1", **farm)

    assert {name: ill[name]["state"] for name in LOOKED_AT} == dict.fromkeys(LOOKED_AT, "fail")
    assert "NEXRENDER_API_URL" in ill["nexrender"]["mend"]
    assert "NAS_MOUNT_PATH" in ill["nas"]["mend"]
