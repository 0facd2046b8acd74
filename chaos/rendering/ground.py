"""What a run begins with: a composition, and times short enough for a run."""

from datetime import timedelta
from typing import Any

from chaos.rendering.places import NAME, Places
from pabal.apps.rendering import settings as own
from pabal.apps.rendering.actions.compositions import put_composition
from pabal.apps.rendering.model.compositions import Composition, FieldMapping
from pabal.base.database import Database
from pabal.platform import settings, tenants
from pabal.platform.actor import ENGINE

COMPOSITION = "survival"
WIDTH, HEIGHT = 320, 180
_SECOND = timedelta(seconds=1)
MOST_RECOVERIES = 5
# What a POST may take, instead of ten seconds: what nobody answered for is looked for sooner.
POST_SECONDS = 2.0
# Longer than any render: whoever is slower hangs, or its machine is gone.
CLOCK = 12 * _SECOND
CHANGED: tuple[tuple[Any, Any], ...] = (
    (own.FOLLOW_EVERY, 0.4 * _SECOND),
    (own.RENDER_TIMEOUT, CLOCK),
    (own.STALL_TIMEOUT, CLOCK),
    (own.FORGOTTEN_WAIT, 4 * _SECOND),
    (own.RETRY_DELAY, 1 * _SECOND),
    (own.NAS_DELAY, 1 * _SECOND),
    (own.NAS_RETRIES, 8),
    (own.CHECK_DELAY, 1 * _SECOND),
    (own.MAX_RECOVERIES, MOST_RECOVERIES),
    # every slot gets every template, however often the run lets one fail
    (own.TEMPLATE_FAILURES, 100),
)


async def lay(database: Database, places: Places) -> None:
    places.make()
    one = Composition(
        id=COMPOSITION,
        name=NAME,
        template_src=str(places.templates / "survival.aep"),
        width=WIDTH,
        height=HEIGHT,
    )
    async with database.transaction() as tx:
        for setting, value in CHANGED:
            await settings.change(tx, ENGINE, setting, value)
        hq = await tenants.ensure_hq(tx)
        mappings = [FieldMapping(COMPOSITION, "Single - pot", "Pot")]
        await put_composition(tx, ENGINE, one, mappings, unit_id=hq.id)
