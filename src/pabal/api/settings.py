"""Settings: what an operator may change at run time."""

from pabal.api.parts import noun
from pabal.platform.web.rest import rest
from pabal.resources.settings import SETTING

router = noun("settings")
rest(router, SETTING)
