"""Survival of ad groups: two servers die around midnight, one with a wrong clock, while others send events twice."""
