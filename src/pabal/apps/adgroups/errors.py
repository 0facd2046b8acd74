"""What can go wrong, with the sentence people read. Korean is in korean.py, by code."""

from pabal.base.errors import Conflict, Invalid, NotFound


class BadDayParts(Invalid):
    """These hours cannot be kept. For each weekday name spans from 00:00 to 24:00, at least one in the week and none
    twice; one that ends before it begins ends on the next day."""


class AdGroupNotFound(NotFound):
    """There is no such ad group, or it is not yours to see."""


class CampaignNotFound(NotFound):
    """There is no such campaign, or it is not yours to see."""


class InventoryNotFound(NotFound):
    """There is no such inventory, or it is not yours to see."""


class InventoryCodeTaken(Conflict):
    """Another inventory has this code. Ad servers ask by it, so each has its own."""


class CreativeNotFound(NotFound):
    """This ad group has no such creative."""


class BadAdGroup(Invalid):
    """It cannot be saved as it is: it needs a name of up to 200 signs, and must end after it starts."""


class BadCampaign(Invalid):
    """It cannot be saved as it is: it needs a name of up to 200 signs, and must end after it starts."""


class BadCreative(Invalid):
    """A creative has a name of up to 200 signs and an address that begins with http:// or https://."""


class BadInventory(Invalid):
    """An inventory has a name, and a code of up to 64 letters, digits, dots, dashes and underscores."""


class AdGroupOver(Conflict):
    """It is expired or deleted: nothing about it changes any more. Make a new one."""


class AlreadyStarted(Conflict):
    """It has started, so its start cannot be moved any more. Its end and its hours can."""


class SetupLocked(Conflict):
    """It was approved with what it has. Creatives and inventory change only while it is a draft or ready; reject it
    first."""


class AdGroupChanged(Conflict):
    """Somebody changed it since you looked. Look again, then decide."""


class NoSuchDelayedEvent(NotFound):
    """This ad group waits for no such event. It may have happened, or been moved, since you looked."""


class MustEnd(Conflict):
    """An ad group must end: its expiry can be moved, but not taken out. Pause or delete it to stop it now."""


class CannotMoveThere(Invalid):
    """A delayed event can be moved to a moment that is not past; a daily one by a week at most and not beyond the next
    boundary of its hours, and nothing happens by the day at or after its end."""
