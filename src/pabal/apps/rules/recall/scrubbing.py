"""Takes out of a text what looks like a secret, before it is remembered or shown to a language model."""

import re

HIDDEN = "•••"
_URL_PASSWORD = re.compile(r"(://[^\s:/@]*:)[^\s@/]+(@)")
_NAMED = re.compile(
    r"(?i)((?:password|passwd|secret|token|api[_-]?key|access[_-]?key|authorization|비밀번호|암호|토큰|인증키)"
    r"""["']?\s*(?:[:=]|은|는)\s*["']?)(?:bearer\s+)?[^\s"',;}]+"""
)
_BEARER = re.compile(r"(?i)\b(bearer\s+)[A-Za-z0-9._~+/=-]{8,}")
# as Telegram writes the token of a bot
_BOT_TOKEN = re.compile(r"\b\d{6,12}:[A-Za-z0-9_-]{30,}")
# letters and digits without a break: a key, a hash; nobody writes words like that
_LONG = re.compile(r"\b(?=[A-Za-z_-]*\d)(?=[\d_-]*[A-Za-z])[A-Za-z0-9_-]{24,}\b")


def scrub(text: str) -> str:
    text = _URL_PASSWORD.sub(rf"\1{HIDDEN}\2", text)
    text = _NAMED.sub(rf"\1{HIDDEN}", text)
    text = _BEARER.sub(rf"\1{HIDDEN}", text)
    text = _BOT_TOKEN.sub(HIDDEN, text)
    return _LONG.sub(HIDDEN, text)
