"""A stand-in for a nexrender server and its render machines, real over HTTP: for people without After Effects, for the
demo, and the witness of tests, survival runs and figures.

It shares no code with the app: both sides are written from the protocol's facts, so each finds the other's mistakes.
"""

# The Korean sentences of its errors, by code, for the slice.
ERRORS = {
    "nexrender_port_taken": "모의 nexrender가 쓸 포트를 다른 프로그램이 쓰고 있습니다. 다른 포트를 정하세요.",
    "bad_render_journal": "모의 nexrender의 기록 파일에 쓸 수 없습니다. 다른 파일을 정하세요.",
    "bad_render_fault": "모의 nexrender가 모르는 장애입니다.",
    "bad_sim_path": "경로 대응은 d:/output=/srv/output 형식으로 적으세요.",
    "bad_sim_project": "프로젝트는 templates/chips.aep=_MAIN Mini Chip Count 형식으로 적으세요. "
    "같은 이름의 다른 파일이 있으면 쓰지 않습니다.",
    "bad_sim_seconds": "렌더링 시간은 15-25, 20 또는 컴포지션=20 형식으로 적으세요.",
}
