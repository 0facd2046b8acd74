"""Stand-ins for KakaoTalk's channel and for OpenClaw instances, real over HTTP: for people who have neither, and the
witnesses of tests, survival runs and figures.

They share no code with the relay: both sides are written from the protocol's facts, so each finds the other's mistakes.
"""
