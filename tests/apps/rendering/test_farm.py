import json
from datetime import timedelta

import pytest

from pabal.apps.rendering.actions import compositions as verbs
from pabal.apps.rendering.farm import Template, TemplateCache
from pabal.apps.rendering.model.compositions import Composition
from pabal.apps.rendering.store import traces
from pabal.platform.actor import ENGINE
from tests.support.rendering import COMPOSITION, MAPPINGS, RenderWorld

HOUR = timedelta(hours=1)
TEMPLATE = Template(Composition("a", "A", "/t/a.aep"), ())


@pytest.mark.req("B-86", "B-87", "B-89")
def test_a_template_is_remembered_for_an_hour_by_a_clock_that_only_goes_forward():
    now = 0.0
    cache = TemplateCache(lambda: now)
    cache.put("a", TEMPLATE)

    now = 3599.0
    assert cache.find("a", HOUR) is TEMPLATE
    now = 3600.0
    assert cache.find("a", HOUR) is None
    cache.put("a", TEMPLATE)
    now = 3600.0 + 86_400 + 5
    assert cache.find("a", HOUR) is None
    cache.put("a", TEMPLATE)
    cache.clear()
    assert cache.find("a", HOUR) is None


@pytest.mark.req("B-86", "B-87", "B-88", "B-119")
async def test_what_is_not_remembered_is_read_from_the_database(world: RenderWorld):
    async with world.db.transaction() as tx:
        first = await world.farm.find_template(tx, COMPOSITION, HOUR)
        await verbs.put_mappings(tx, ENGINE, COMPOSITION, [MAPPINGS[0].__class__(COMPOSITION, "Single - ante", "Ante")])
        same = await world.farm.find_template(tx, COMPOSITION, HOUR)
        world.farm.templates.clear()
        newer = await world.farm.find_template(tx, COMPOSITION, HOUR)

    assert first is not None
    assert newer is not None
    assert same is first
    assert len(newer.mappings) == len(first.mappings) + 1
    assert {one.layer_name for one in first.mappings} == {"Name 1", "Stack 1", "Pot"}


@pytest.mark.req("B-36", "B-57")
async def test_each_attempt_writes_a_file_of_its_own_name_which_this_server_finds(world: RenderWorld):
    [asked] = await world.ask()
    await world.run()

    done = await world.see(asked.id)
    async with world.db.transaction() as tx:
        sent = await traces.read_sent(tx, asked.id, 1)
    job = json.loads(world.services.vault.open(sent or ""))

    assert job["actions"]["postrender"][0]["output"] == f"D:/output/job_{asked.id}_a1.mp4"
    assert done.rendered_path == str(world.folder / "output" / f"job_{asked.id}_a1.mp4")
    assert world.farm.rendered_name(7, 2, "mov") == "D:/output/job_7_a2.mov"
    world.farm.startup = world.farm.startup.model_copy(update={"output_dir": "E:\\films\\"})
    assert world.farm.rendered_name(7, 2, "mov") == "E:/films/job_7_a2.mov"
