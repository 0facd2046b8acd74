"""What runs leave in the cache goes, and what is in use stays."""

import os
from pathlib import Path

from pabal.apps.rules.scripts import tidy_cache


def test_only_what_is_old_and_of_no_running_run_goes(tmp_path: Path):
    folders = ("exports/old", "exports/used", "exports/fresh", "scratch/lost", "scratch/alive", "scratch/fresh")
    for number, name in enumerate(folders):
        (tmp_path / name).mkdir(parents=True)
        if "fresh" not in name:
            os.utime(tmp_path / name, (number + 1, number + 1))

    removed = tidy_cache(tmp_path, running={"alive"}, kept_exports=2)

    assert removed == 2
    left = {f"{one.parent.name}/{one.name}" for one in tmp_path.glob("*/*")}
    assert left == {"exports/used", "exports/fresh", "scratch/alive", "scratch/fresh"}
    assert tidy_cache(tmp_path / "nowhere", running=()) == 0
