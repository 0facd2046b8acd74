"""The resources of the engine and the platform, each described once for REST, commands and CSV."""

from pabal.resources.alerts import ALERT, RULE
from pabal.resources.approvals import APPROVAL
from pabal.resources.audit import ENTRY
from pabal.resources.backups import BACKUP
from pabal.resources.broker import EVENT
from pabal.resources.bulks import BULK
from pabal.resources.events import CONSUMER, DEAD_LETTER
from pabal.resources.events import EVENT as LOGGED_EVENT
from pabal.resources.insight import HEALTH, UPCOMING
from pabal.resources.lanes import LANE
from pabal.resources.notifications import CHANNEL, NOTIFICATION
from pabal.resources.people import TOKEN, UNIT, USER
from pabal.resources.schedules import OCCURRENCE, SCHEDULE
from pabal.resources.settings import SETTING
from pabal.resources.work import FACT, JOB, SERVER
from pabal.resources.workflows import STEP_KIND, WORKFLOW, WORKFLOW_RUN

NOUNS = (
    *(JOB, SCHEDULE, OCCURRENCE, FACT, SERVER, LANE, ALERT, NOTIFICATION, CHANNEL, ENTRY, UNIT, USER, TOKEN),
    *(BACKUP, EVENT, RULE, SETTING, APPROVAL, LOGGED_EVENT, CONSUMER, DEAD_LETTER, BULK),
    *(WORKFLOW, WORKFLOW_RUN, STEP_KIND),
)
REPORTS = (UPCOMING, HEALTH)
