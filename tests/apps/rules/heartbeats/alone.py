"""An app of nothing but heartbeats: what `parts` hands over is enough for one."""

from pathlib import Path

import pabal.apps.rules.heartbeats
from pabal.apps.rules import parts
from pabal.platform.slice import Slice

SLICE = Slice(
    name="rules",
    label=("Automation", "자동화"),
    machines=parts.MACHINES,
    controls=parts.CONTROLS,
    errors=parts.ERRORS,
    actions=parts.ACTIONS,
    names=parts.NAMES,
    status=parts.STATUS,
    settings=parts.SETTINGS,
    measures=parts.MEASURES,
    alert_rules=parts.RULES,
    limits=parts.LIMITS,
    nav=parts.NAV,
    link=parts.link,
    api="pabal.apps.rules.heartbeats.api",
    pages="pabal.apps.rules.heartbeats.pages",
    templates=Path(pabal.apps.rules.heartbeats.__file__).parents[1] / "templates",
)
