"""What ad servers read from Redis: how it stands, and what the last comparisons found."""

from datetime import datetime

from pabal.platform.resources import View, field

NOT_SERVED = (
    "No server has PABAL_SERVING_URL: nothing is written for ad servers.",
    "PABAL_SERVING_URL이 있는 서버가 없어 광고 서버용 데이터를 쓰지 않습니다.",
)
NO_CHECKS = ("Not compared yet.", "아직 비교하지 않았습니다.")
CHECK_COLUMNS = ("at", "compared", "found", "mended", "took_ms", "asked_by", "error")


class ServingCheckView(View):
    """One comparison of Redis with the database. `error` says why it did not come to its end."""

    id: int = field(("No.", "번호"), example=12)
    at: datetime = field(("At", "시각"))
    took_ms: int = field(("Took (ms)", "걸린 시간(ms)"), example=140)
    asked_by: str = field(("Asked by", "요청"), example="engine")
    compared: int = field(("Compared", "비교"), example=1200)
    differences: dict[str, int] = field(("By kind", "종류별"), example={"missing": 0, "stale": 1})
    found: int = field(("Differences", "차이"), example=1)
    mended: int = field(("Fixed", "고침"), example=1)
    remaining: int = field(("Remaining", "남음"), example=0)
    error: str | None = field(("Error", "오류"), example=None)


class ServingView(View):
    """Not wanted: no server has PABAL_SERVING_URL, and nothing is written. `running`: how many Redis should hold."""

    is_wanted: bool = field(("Served", "송출 데이터 사용"), example=True)
    running: int = field(("Running", "송출중"), example=1200)
    refreshed_at: datetime | None = field(("Refreshed", "갱신"))
    rebuilt_at: datetime | None = field(("Rebuilt", "새로 만든 때"))
    away_since: datetime | None = field(("Redis away since", "Redis 끊김"), example=None)
    away_error: str | None = field(("Its error", "오류"), example=None)
    checks: list[ServingCheckView] = field(("Checks", "점검"))


class ServingJobView(View):
    """The job that does it: /api/v1/jobs/{job} says where it is. Not new: it was asked for before and has not ended."""

    job: str = field(("Job", "작업"), example="job_01h2xcejqtf2n")
    is_new: bool = field(("New", "새 작업"), example=True)
