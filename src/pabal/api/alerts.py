"""Alerts: what is wrong, who takes care of it, and the rules that notice."""

from pabal.api.parts import noun
from pabal.platform.web.rest import rest
from pabal.resources.alerts import ALERT, RULE

router = noun("alerts")
rest(router, ALERT)
rest(router, RULE)
