"""The REST edge of rendering: /api/v1/render, as `resources` describes it, and what is too special to be described."""

from fastapi import Depends

from pabal.apps.rendering.api import files, jobs, mappings, paths
from pabal.apps.rendering.api.readings import BASE, noun
from pabal.apps.rendering.resources import NOUNS, REPORTS
from pabal.platform.web.filters import refuse_unknown
from pabal.platform.web.identify import open_visit
from pabal.platform.web.limits import limit_rate
from pabal.platform.web.rest import rest, rest_report
from pabal.platform.web.wings import Wing

__all__ = ["router"]

# who it is first, then how often, then whether the question makes sense
router = Wing(dependencies=[Depends(open_visit), Depends(limit_rate), Depends(refuse_unknown)])
_described = noun()
for _noun in NOUNS:
    rest(_described, _noun)
for _report in REPORTS:
    rest_report(_described, _report)
# what has a name of its own before what has an id
for _part in (mappings.router, paths.router, jobs.router, _described, files.router):
    router.include_router(_part, prefix=BASE)
