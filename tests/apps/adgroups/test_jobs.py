"""The comparing goes on by itself, slice by slice, and lets others work in between."""

import pytest

from pabal.apps.adgroups import SLICE
from pabal.apps.adgroups.jobs import BREATH, LOOK, Comparing, make_loops
from pabal.apps.adgroups.legacy import shadow
from tests.apps.adgroups.actions.world import World


@pytest.mark.req("E-81", "E-104")
async def test_it_rests_a_little_after_each_slice_and_longer_after_the_last(
    world: World, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(shadow, "SLICE", 1)
    await world.make()
    comparing = Comparing(world.db)

    rests = []
    for _ in range(3):
        assert await comparing.step() == 0
        rests.append(comparing.rest)

    assert rests == [BREATH, LOOK, LOOK]
    async with world.db.transaction() as tx:
        at = await shadow.last_pass(tx)
    assert at is not None
    assert (at.compared, at.finished_at is not None) == (1, True)
    assert SLICE.loops is make_loops
