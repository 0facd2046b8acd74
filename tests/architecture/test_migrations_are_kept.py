"""A migration that has landed is never edited: databases out there have run it."""

import hashlib
from pathlib import Path

from tests.architecture.source import PROJECT, write

LIST = Path(__file__).parent / "landed_migrations.txt"


def kept_faults(root: Path, landed: str) -> list[str]:
    """`landed` has one line per file, as sha256sum prints it."""
    kept = {path: checksum for checksum, path in (line.split() for line in landed.splitlines())}
    found = {str(path.relative_to(root)): _checksum(path) for path in sorted(root.glob("src/**/migrations/**/*.sql"))}
    edited = [path for path in found if path in kept and found[path] != kept[path]]
    return [
        *(f"{path} has landed and was edited: put its text back, and add a new migration" for path in edited),
        *(f"{path} has landed and is gone: put it back" for path in kept if path not in found),
        *(f"{path} is new: add to {LIST.name} the line\n{found[path]}  {path}" for path in found if path not in kept),
    ]


def test_every_migration_that_has_landed_is_as_it_was() -> None:
    faults = kept_faults(PROJECT, LIST.read_text(encoding="utf-8"))

    assert not faults, "\n".join(faults)


def test_an_edited_a_lost_and_an_unlisted_file_are_caught(tmp_path: Path) -> None:
    write(tmp_path, "src/app/migrations/0001_a.sql", "select 1;")
    write(tmp_path, "src/app/migrations/0002_b.sql", "select 2;")
    write(tmp_path, "src/app/migrations/amended/0001_a.abc.sql", "select 3;")
    landed = f"{'0' * 64}  src/app/migrations/0001_a.sql\n{'0' * 64}  src/app/migrations/0003_c.sql\n"

    edited, gone, *new = kept_faults(tmp_path, landed)

    assert "0001_a.sql has landed and was edited" in edited
    assert "0003_c.sql has landed and is gone" in gone
    assert len(new) == 2
    assert f"{hashlib.sha256(b'select 2;').hexdigest()}  src/app/migrations/0002_b.sql" in new[0]
    assert "amended/0001_a.abc.sql is new" in new[1]


def _checksum(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
