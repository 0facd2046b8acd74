"""How searching and asking a model fails, in words for the rule's owner."""

from pabal.base.errors import Conflict, Invalid, Unavailable

LONGEST_MODEL = 200


class BadSearch(Invalid, code="bad_search"):
    """A search needs a topic of 1 to 200 characters, and at least one address of a feed."""


class FeedUnavailable(Unavailable, code="feed_unavailable"):
    """No feed of this search could be read. The rule's next run asks again."""


class FeedUnreadable(Unavailable, code="feed_unreadable"):
    """This is no RSS or Atom feed, or it holds declarations that are not read for safety."""


class ModelUnavailable(Unavailable, code="model_unavailable"):
    """The language model did not answer as it should. The rule's next run asks again."""


class ModelTooSlow(ModelUnavailable, code="model_too_slow"):
    """The language model did not answer in time."""


class ModelNotInstalled(ModelUnavailable, code="model_not_installed"):
    """What this server should ask a language model with is not installed. Install it, or choose another in the
    settings of rules."""


class ModelNotSignedIn(ModelUnavailable, code="model_not_signed_in"):
    """The language model refused the key of this server. Check the variables that PABAL_RULES_LLM_ENVIRONMENT names."""


class ModelSaidTooMuch(ModelUnavailable, code="model_said_too_much"):
    """The language model answered with more than is allowed."""


class BadModelName(Invalid, code="bad_model_name"):
    """The name of a model has at most 200 letters, digits and . _ : / @ + -, and begins with a letter or a digit."""


class BadModelCommand(Invalid, code="bad_model_command"):
    """PABAL_RULES_LLM_COMMAND is a JSON list of words, the program first, such as ["ollama", "run", "{model}"]."""


class PromptTooLong(Conflict, code="prompt_too_long"):
    """The question for the language model is longer than a call may be."""


KO = {
    "bad_search": "검색에는 1~200자의 주제와 피드 주소가 하나 이상 필요합니다.",
    "feed_unavailable": "이 검색의 피드를 하나도 읽지 못했습니다. 룰이 다음에 실행될 때 다시 읽습니다.",
    "feed_unreadable": "RSS나 Atom 피드가 아니거나, 안전을 위해 읽지 않는 선언이 들어 있습니다.",
    "model_unavailable": "언어 모델이 제대로 응답하지 않았습니다. 룰이 다음에 실행될 때 다시 묻습니다.",
    "model_too_slow": "언어 모델이 제시간에 응답하지 않았습니다.",
    "model_not_installed": "언어 모델을 부르는 프로그램이 서버에 없습니다. 설치하거나 설정에서 다른 것을 고르세요.",
    "model_not_signed_in": (
        "언어 모델이 이 서버의 키를 거절했습니다. PABAL_RULES_LLM_ENVIRONMENT에 적은 변수를 확인하세요."
    ),
    "model_said_too_much": "언어 모델의 응답이 허용된 길이를 넘었습니다.",
    "bad_model_name": "모델 이름은 글자나 숫자로 시작하고, 글자·숫자와 . _ : / @ + - 로 200자까지 적을 수 있습니다.",
    "bad_model_command": (
        'PABAL_RULES_LLM_COMMAND는 프로그램을 맨 앞에 둔 JSON 목록이어야 합니다. 예: ["ollama", "run", "{model}"]'
    ),
    "prompt_too_long": "언어 모델에 보낼 글이 한 번에 보낼 수 있는 길이를 넘었습니다.",
}
