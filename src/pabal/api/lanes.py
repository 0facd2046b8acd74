"""Shared lanes: how wide they are, who holds them, and letting more or fewer go at once."""

from pabal.api.parts import noun
from pabal.platform.web.rest import rest
from pabal.resources.lanes import LANE

router = noun("lanes")
rest(router, LANE)
