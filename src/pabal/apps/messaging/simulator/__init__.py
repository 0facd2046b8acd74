"""A stand-in for the phone with the bot: a real client over TCP, and the witness of tests, chaos runs and figures.

It shares no code with the listener: both are written from the protocol's facts, so each finds the other's mistakes.
"""
