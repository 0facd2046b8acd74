"""The same name with another content is another input: of pictures and of templates, as far as the server sees them."""

import os
from pathlib import Path

from pabal.apps.rendering.actions.compositions import put_composition
from pabal.apps.rendering.actions.requesting import RenderRequest, Requested, request
from pabal.apps.rendering.farm import Farm
from pabal.apps.rendering.input_files import look_at_files, plan
from pabal.apps.rendering.model.compositions import FieldMapping
from pabal.platform.actor import ENGINE
from tests.support.rendering import COMPOSITION, MAPPINGS, RenderWorld, gfx, make_composition

FLAG = FieldMapping(COMPOSITION, "Flag 1", "Flag 1", "image")


async def ask(world: RenderWorld, flag: Path, farm: Farm | None = None) -> Requested:
    """As a server does that is asked for it."""
    wanted = RenderRequest(COMPOSITION, gfx(flags=[str(flag)]))
    here = farm or world.farm
    async with world.db.transaction() as tx:
        planned = await plan(tx, ENGINE, here, [wanted])
    [looked] = await look_at_files(here, planned)
    return await world.act(lambda tx: request(tx, ENGINE, world.services.vault, looked))


async def render_with_flag(world: RenderWorld) -> Path:
    flag = world.folder / "templates" / "kr.png"
    flag.write_bytes(b"red")
    one = make_composition(world.folder / "templates")
    await world.act(lambda tx: put_composition(tx, ENGINE, one, (*MAPPINGS, FLAG)))
    assert (await ask(world, flag)).is_new
    await world.run()
    return flag


async def test_the_same_files_are_the_same_input(world: RenderWorld):
    flag = await render_with_flag(world)

    assert not (await ask(world, flag)).is_new


async def test_a_picture_that_was_replaced_is_another_input(world: RenderWorld):
    flag = await render_with_flag(world)

    flag.write_bytes(b"blue")

    assert (await ask(world, flag)).is_new


async def test_a_picture_of_another_size_and_the_same_moment_is_another_input(world: RenderWorld):
    flag = await render_with_flag(world)
    before = flag.stat().st_mtime_ns

    flag.write_bytes(b"blue")
    os.utime(flag, ns=(before, before))

    assert (await ask(world, flag)).is_new


async def test_a_picture_of_the_same_size_that_was_replaced_is_another_input(world: RenderWorld):
    flag = await render_with_flag(world)
    before = flag.stat().st_mtime_ns

    os.utime(flag, ns=(before + 1_000_000, before + 1_000_000))

    assert (await ask(world, flag)).is_new


async def test_a_template_that_was_saved_again_is_another_input(world: RenderWorld):
    flag = await render_with_flag(world)
    template = world.folder / "templates" / "cyprus.aep"

    template.write_bytes(template.read_bytes() + b" ")

    assert (await ask(world, flag)).is_new


async def test_a_picture_that_is_gone_is_another_input(world: RenderWorld):
    flag = await render_with_flag(world)

    flag.unlink()

    assert (await ask(world, flag)).is_new
