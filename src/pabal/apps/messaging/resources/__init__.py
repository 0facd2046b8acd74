"""The resources of messaging, each described once: how it is shown, listed, asked for, and what one does with it."""

from pabal.apps.messaging.resources.bots import BOT, DEVICE

NOUNS = (BOT, DEVICE)
