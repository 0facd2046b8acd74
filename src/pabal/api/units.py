"""Units: the tree HQ, distributor, agency, branch."""

from pabal.api.parts import noun
from pabal.platform.web.rest import rest
from pabal.resources.people import UNIT

router = noun("units")
rest(router, UNIT)
