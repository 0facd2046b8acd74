"""Survival of the relay: two servers die between a channel and its instances, whose own logs are the witness."""
