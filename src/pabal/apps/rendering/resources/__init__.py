"""The resources of rendering, each described once: how it is shown, listed, asked for, and what one does with it."""

from pabal.apps.rendering.resources.compositions import COMPOSITION, MAPPING
from pabal.apps.rendering.resources.jobs import JOB
from pabal.apps.rendering.resources.statistics import STATISTICS
from pabal.apps.rendering.resources.traces import AUDIT
from pabal.apps.rendering.resources.workers import WORKER

NOUNS = (JOB, AUDIT, WORKER, COMPOSITION, MAPPING)
REPORTS = (STATISTICS,)
