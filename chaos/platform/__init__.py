"""Survival of approvals, Telegram, events, webhooks and files together: the stand-ins' own logs are the witness."""
