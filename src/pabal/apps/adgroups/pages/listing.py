"""What the pages of ad groups share: their area, their topics, and the sentences of the model for one visitor."""

from collections.abc import Callable
from datetime import datetime

from pabal.apps.adgroups import sentences
from pabal.apps.adgroups.model.guards import Checked
from pabal.apps.adgroups.sentences import Sentence
from pabal.engine.machine import Refusal
from pabal.platform.web.visit import Visit

AREA = "adgroups"
LIST = "/ads/groups"
DELAYED = "/ads/delayed"
TOPICS = "adgroup.*,adgroups.*"
MOST_CHOICES = 200


def tell(visit: Visit, sentence: Sentence) -> str:
    return sentence.tell(visit.lang, _shower(visit))


def tell_condition(visit: Visit, checked: Checked) -> str:
    return sentences.tell_condition(checked, visit.lang, _shower(visit))


def tell_refusal(visit: Visit, refusal: Refusal) -> str:
    return sentences.tell_refusal(refusal, visit.lang, _shower(visit))


def _shower(visit: Visit) -> Callable[[datetime], str]:
    return lambda moment: sentences.show_brief(moment, visit.now, visit.zone.key, visit.lang)
