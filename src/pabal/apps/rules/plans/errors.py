"""What can go wrong with plans."""

from pabal.base.errors import Conflict, Forbidden, Invalid, NotFound


class PlanNotFound(NotFound, code="plan_not_found"):
    """There is no such plan, or it is not yours to see."""


class BadPlanRemark(Invalid, code="bad_plan_remark"):
    """A remark has at most 1,000 characters."""


class TooManyPlans(Conflict, code="too_many_plans"):
    """You have 50 plans that are not decided. Decide or withdraw some first."""


class PlanBeyondRights(Forbidden, code="plan_beyond_rights"):
    """This plan does more than you may do yourself, so you cannot approve it. Somebody with these rights can."""


class PlanNotOpen(Conflict, code="plan_not_open"):
    """This plan is not in a state in which that can be done. Look at what has become of it."""


class PlanOwnerGone(Conflict, code="plan_owner_gone"):
    """Whoever asked for this plan or approved it may not do all of it here any more."""


class PlanNameTaken(Conflict, code="plan_name_taken"):
    """A workflow of this name is there already. Edit the plan's name, or draft it again."""


KO = {
    "plan_not_found": "이런 계획이 없거나 볼 수 없습니다.",
    "bad_plan_remark": "바꿀 점은 1,000자까지 적을 수 있습니다.",
    "too_many_plans": "결정되지 않은 계획이 50개입니다. 먼저 몇 개를 결정하거나 거두어들이세요.",
    "plan_beyond_rights": (
        "이 계획에는 본인에게 없는 권한이 필요해 승인할 수 없습니다. 권한이 있는 사람이 승인해야 합니다."
    ),
    "plan_owner_gone": "요청하거나 승인한 사람에게 이제 이 일을 할 권한이 없습니다.",
    "plan_name_taken": "같은 이름의 워크플로우가 이미 있습니다. 이름을 고치거나 다시 만드세요.",
    "plan_not_open": "지금 상태에서는 할 수 없습니다. 계획이 어떻게 되었는지 확인하세요.",
}
