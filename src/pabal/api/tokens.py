"""API tokens: what programs hold. A secret is shown once."""

from pabal.api.parts import noun
from pabal.platform.web.rest import rest
from pabal.resources.people import TOKEN

router = noun("tokens")
rest(router, TOKEN)
