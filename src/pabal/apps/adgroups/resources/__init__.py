"""The resources of ad groups, each described once: how it is shown, listed, asked for, and what one does with it."""

from pabal.apps.adgroups.resources.campaigns import CAMPAIGN, INVENTORY
from pabal.apps.adgroups.resources.events import DELAYED
from pabal.apps.adgroups.resources.groups import GROUP
from pabal.apps.adgroups.resources.migration import FLAGS, MISMATCH, RUN

# what has a name of its own before what has an id: an ad group's address is /{id}
NOUNS = (CAMPAIGN, INVENTORY, DELAYED, FLAGS, MISMATCH, RUN, GROUP)
