"""Health: how the house stands, in numbers."""

from pabal.api.parts import noun
from pabal.platform.web.rest import rest_report
from pabal.resources.insight import HEALTH

router = noun("health")
rest_report(router, HEALTH)
