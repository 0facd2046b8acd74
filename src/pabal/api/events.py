"""Events: publish one, look at the log, at consumers and their places, and at what could not be taken."""

from pabal.api.parts import noun
from pabal.platform.web.rest import rest
from pabal.resources.events import CONSUMER, DEAD_LETTER, EVENT

router = noun("events")
rest(router, EVENT)
rest(router, CONSUMER)
rest(router, DEAD_LETTER)
