"""Survival of messaging: two servers die under fifty bots, and each bot's own log is the witness of what arrived."""
