"""The REST edge of ad groups: /api/v1/adgroups, in the seed's words. What is described in `resources`, and the rest."""

from fastapi import Depends

from pabal.apps.adgroups.api import bulk, delayed, groups, migration, serving
from pabal.apps.adgroups.api.readings import BASE, noun
from pabal.apps.adgroups.resources import NOUNS
from pabal.platform.web.filters import refuse_unknown
from pabal.platform.web.identify import open_visit
from pabal.platform.web.limits import limit_rate
from pabal.platform.web.rest import rest
from pabal.platform.web.wings import Wing

__all__ = ["router"]

# who it is first, then how often, then whether the question makes sense
router = Wing(dependencies=[Depends(open_visit), Depends(limit_rate), Depends(refuse_unknown)])
_described = noun()
for _noun in NOUNS:
    rest(_described, _noun)
# what has a name of its own before what has an id
for _part in (delayed.router, migration.router, serving.router, bulk.router, _described, groups.router):
    router.include_router(_part, prefix=BASE)
