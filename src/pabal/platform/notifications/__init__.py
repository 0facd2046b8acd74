"""Telling people: in the console and by Telegram, durably, in the commit of what is told."""

from pabal.platform.notifications.actions import (
    add_channel,
    edit_channel,
    get_channel,
    list_channels,
    list_deliveries,
    remove_channel,
    send_test,
)
from pabal.platform.notifications.console import (
    AREA,
    count_unread,
    find_read_upto,
    forget_once,
    list_notifications,
    mark_read,
)
from pabal.platform.notifications.gateway import Telegram
from pabal.platform.notifications.jobs import SendTelegram, make_kinds
from pabal.platform.notifications.model import (
    BadChannel,
    BadNotice,
    BadToken,
    Channel,
    ChannelForm,
    ChannelNameTaken,
    ChannelNotFound,
    Delivery,
    Document,
    Level,
    Notice,
    Notification,
)
from pabal.platform.notifications.notifying import KIND, notify

__all__ = [
    "AREA",
    "KIND",
    "BadChannel",
    "BadNotice",
    "BadToken",
    "Channel",
    "ChannelForm",
    "ChannelNameTaken",
    "ChannelNotFound",
    "Delivery",
    "Document",
    "Level",
    "Notice",
    "Notification",
    "SendTelegram",
    "Telegram",
    "add_channel",
    "count_unread",
    "edit_channel",
    "find_read_upto",
    "forget_once",
    "get_channel",
    "list_channels",
    "list_deliveries",
    "list_notifications",
    "make_kinds",
    "mark_read",
    "notify",
    "remove_channel",
    "send_test",
]
