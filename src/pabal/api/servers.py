"""Servers: which run, what they do, and letting one empty itself before it is stopped."""

from pabal.api.parts import noun
from pabal.platform.web.rest import rest
from pabal.resources.work import SERVER

router = noun("servers")
rest(router, SERVER)
