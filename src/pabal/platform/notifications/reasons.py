"""Why a delivery did not arrive, in the reader's language: what is kept is one English line, shown as a sentence."""

import re

from pabal.platform.language.pairs import Lang, Pair, put
from pabal.platform.language.stories import explain_reason

_STATUS = r"(?:(?P<status>\d{3}) )?"
# What the Bot API says is its own; what follows is what it means, where that is known.
_TELEGRAM: tuple[tuple[str, Pair], ...] = (
    (
        "chat not found",
        ("there is no such chat, or the bot is not in it", "그런 채팅이 없거나 봇이 들어 있지 않습니다"),
    ),
    ("bot was blocked", ("somebody blocked the bot", "상대가 봇을 차단했습니다")),
    ("bot was kicked", ("the bot was removed from the chat", "봇이 채팅에서 나가졌습니다")),
    ("not a member", ("the bot is not in the chat", "봇이 그 채팅에 없습니다")),
    ("not enough rights", ("the bot may not write there", "봇에게 쓸 권한이 없습니다")),
    ("Unauthorized", ("the token is wrong, or was replaced", "토큰이 틀렸거나 바뀌었습니다")),
    (
        "webhook",
        ("a webhook of another program is set for this bot", "다른 프로그램의 웹훅이 이 봇에 걸려 있습니다"),
    ),
    ("getUpdates", ("another program listens to this bot", "다른 프로그램이 이 봇의 말을 받고 있습니다")),
)
_PATTERNS: tuple[tuple[re.Pattern[str], Pair], ...] = tuple(
    (re.compile(pattern, re.DOTALL), pair)
    for pattern, pair in (
        ("the channel was removed", ("The channel was removed.", "채널이 지워졌습니다.")),
        ("the channel is off or stopped", ("The channel is off or stopped.", "채널이 꺼져 있거나 멈춰 있습니다.")),
        ("the channel was stopped", ("The channel was stopped.", "채널이 멈춰 있었습니다.")),
        ("it was decided before it was sent", ("It was decided before it was sent.", "보내기 전에 결정되었습니다.")),
        ("Telegram asked to wait", ("Telegram asked to wait.", "텔레그램이 기다리라고 했습니다.")),
        ("expired", ("It could not be sent in time.", "제때 보내지 못했습니다.")),
        (
            r"the document (?P<name>.*) is not there any more",
            ("The document {name} is not there any more.", "첨부 파일 {name}이(가) 이제 없습니다."),
        ),
        (
            r"(?:send|edit|answer|getU)\w+: (?P<what>.*)",
            ("Telegram could not be reached ({what}).", "텔레그램에 닿지 못했습니다({what})."),
        ),
        (r"answered (?P<status>\d{3})", ("Telegram answered {status}.", "텔레그램이 {status}로 답했습니다.")),
        (r"no connection: (?P<what>.*)", ("No connection: {what}", "연결하지 못했습니다: {what}")),
        (r"no answer within (?P<n>\d+) s", ("No answer within {n} s.", "{n}초 안에 답이 없었습니다.")),
        (
            _STATUS + r"more than (?P<n>\d+) bytes",
            ("It is larger than {n} bytes.", "{n}바이트보다 커서 보내지 않았습니다."),
        ),
        (
            _STATUS + "redirects are not followed: enter the address it leads to",
            (
                "Redirects are not followed: enter the address it leads to.",
                "다른 주소로 넘기는 답은 따라가지 않습니다. 넘겨 주는 그 주소를 적으세요.",
            ),
        ),
        (
            "no mail server: set PABAL_SMTP_URL",
            ("No mail server: set PABAL_SMTP_URL.", "메일 서버가 없습니다. PABAL_SMTP_URL을 정하세요."),
        ),
        (
            r"(?P<what>[A-Z]\w*(?:Error|Exception|NotSupported|Protocol))(?:: (?P<more>.*))?",
            ("The connection broke ({what}).", "연결이 끊겼습니다({what})."),
        ),
    )
)
_REFUSED = re.compile(r"(?:Telegram refused it: )?(?P<said>(?P<code>[34]\d{2}) (?P<description>.*))", re.DOTALL)


def explain(reason: str, lang: Lang) -> str:
    """What others said in their own words stays as they said it."""
    for pattern, pair in _PATTERNS:
        found = pattern.fullmatch(reason)
        if found is not None:
            return put(lang, pair, **{name: value or "" for name, value in found.groupdict().items()})
    refused = _REFUSED.fullmatch(reason)
    if refused is not None:
        return _explain_refusal(refused, lang)
    return explain_reason(reason, lang)


def _explain_refusal(found: re.Match[str], lang: Lang) -> str:
    said, is_telegram = found["said"], found[0] != found["said"]
    meaning = next((pair for words, pair in _TELEGRAM if words in said), None)
    if meaning is not None:
        return f"{said}: {put(lang, meaning)}"
    return (
        put(lang, ("Telegram refused it: {said}", "텔레그램이 받지 않았습니다: {said}"), said=said)
        if is_telegram
        else said
    )
