"""The resources of messaging, each described once: how it is shown, listed, asked for, and what one does with it."""

from pabal.apps.messaging.resources.bots import BOT, DEVICE
from pabal.apps.messaging.resources.bulks import BULK, GROUP
from pabal.apps.messaging.resources.deliveries import DELIVERY, OPEN_DELIVERY
from pabal.apps.messaging.resources.rooms import ROOM
from pabal.apps.messaging.resources.schedules import SCHEDULE
from pabal.apps.messaging.resources.statistics import EFFECT, METRICS, STATISTICS, USAGE
from pabal.apps.messaging.resources.templates import TEMPLATE

# a path with a word comes before one with an id in its place
NOUNS = (BOT, DEVICE, ROOM, GROUP, SCHEDULE, BULK, TEMPLATE, OPEN_DELIVERY, DELIVERY)
REPORTS = (STATISTICS, USAGE, EFFECT, METRICS)
