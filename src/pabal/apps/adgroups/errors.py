"""What can go wrong, with the sentence people read. Korean is in korean.py, by code."""

from pabal.base.errors import Conflict, Invalid, NotFound, Unavailable


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
    """It was approved with what it has. Creatives and inventory change only while it is a draft or ready; for others,
    make a new one."""


class AdGroupChanged(Conflict):
    """Somebody changed it since you looked. Look again, then decide."""


class NoSuchDelayedEvent(NotFound):
    """This ad group waits for no such event. It may have happened, or been moved, since you looked."""


class MustEnd(Conflict):
    """An ad group must end: its expiry can be moved, but not taken out. Pause or delete it to stop it now."""


class CannotMoveThere(Invalid):
    """A delayed event can be moved to a moment that is not past; a daily one by a week at most and not beyond the next
    boundary of its hours, and nothing happens by the day at or after its end."""


# the rest edge and the actions below it


class CampaignElsewhere(Conflict):
    """An ad group stays with its organisation: choose a campaign of the same one, or make a new ad group there."""


# G3, serving
class ServingAway(Unavailable):
    """The Redis that ad servers read does not answer, or refuses. Check that it runs and that PABAL_SERVING_URL is its
    address; what was to be written is written when it is back."""


class ServingNeedsExtra(Unavailable):
    """PABAL_SERVING_URL is set, but what talks to Redis is not installed. Install pabal[broker], or take the address
    out."""


class BadServingAddress(Invalid):
    """PABAL_SERVING_URL is no address of a Redis. Write it as redis://host:port/0, or rediss:// for one with TLS."""


class ServingOff(Conflict):
    """Nothing is written for ad servers here. Set PABAL_SERVING_URL to the address of their Redis and start again."""


class ServingOvertaken(Conflict):
    """Something newer was written for ad servers meanwhile. It is read and written again."""

    def __init__(self, later: int, own: int) -> None:
        super().__init__(f"{own}, and {later} is there")
        self.later = later


# G7: command line
class EventRefused(Conflict):
    """An ad group cannot take this event now. Beside it stands why; those that can take it did."""


class CannotRead(Invalid):
    """Name one source of old ad groups: a CSV file that can be read, or --table."""


# G2, events from a broker
class BadEventData(Invalid):
    """An event's data may hold a reason of up to 500 signs and expect_version, a whole number. Send it again under a
    new id."""


# G4: from calculated to stored
class BadFlag(Invalid):
    """This flag cannot be set so. Of a hundred 0 to 100 can use the stored state; new ones do or do not."""


class FlagNotFound(NotFound):
    """No such flag is set, or it is not yours to see."""


class MismatchNotFound(NotFound):
    """There is no such difference, or it is not yours to see."""


class RunNotFound(NotFound):
    """There is no such migration, or it is not yours to see."""


class RunBusy(Conflict):
    """A server is working on this migration right now. Try again in a moment."""


class WrongRunState(Conflict):
    """This migration is not where that can be done: only what is planned starts, only what stands still goes on, and
    only what was begun is taken back. Look at it again."""


class BadLegacyFile(Invalid):
    """This is not read as old ad groups. A CSV is in UTF-8, its first line names the columns, and it has at least id,
    campaign, start_at and end_at; a table has the same columns. The place and the reason stand beside it."""


class NoLegacyTable(NotFound):
    """The database has no table legacy_ad_groups. Put the old ad groups there, or upload them as a CSV."""
