"""Ad groups: a life declared once, moved by events. SLICE is all that anybody outside may import."""

from pathlib import Path

from pabal.apps.adgroups import settings
from pabal.apps.adgroups.korean import KO
from pabal.apps.adgroups.machine import AD_GROUP
from pabal.apps.adgroups.subscribers import SUBSCRIBERS
from pabal.apps.adgroups.words import ACTIONS, NAMES, STATUS
from pabal.platform.slice import Slice

HERE = Path(__file__).parent
AREA = "adgroups"

SLICE = Slice(
    name=AREA,
    label=("Ad groups", "광고"),
    icon="speakerphone",
    machines=(AD_GROUP,),
    subscribers=SUBSCRIBERS,
    migrations=HERE / "migrations",
    errors=KO,
    actions=ACTIONS,
    names=NAMES,
    settings=settings.ALL,
    status=STATUS,
)
