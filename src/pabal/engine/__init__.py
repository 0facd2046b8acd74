"""Durable mechanics: state, time, work and facts on PostgreSQL. Knows no tenant tree, no Kakao, no HTTP."""
