"""A repository is read as it is, and nothing that it names is run."""

import os
import stat
from pathlib import Path

import pytest

from pabal.apps.rules.scripts import ScriptUnusable
from pabal.apps.rules.scripts import repository as reading
from pabal.apps.rules.scripts.repository import export, fetch_commit, read_script, take_snapshot
from tests.support.rule_scripts import Repository


@pytest.mark.req("D-90")
def test_an_export_holds_the_files_of_its_commit(repository: Repository, tmp_path: Path):
    repository.write("한글/파일.txt", "안녕")
    program = repository.write("tool.sh", "true")
    program.chmod(0o755)
    (repository.folder / "link").symlink_to("tool.sh")
    commit = repository.commit(check="x = 1\n")
    repository.commit(check="x = 2\n")

    made = export(take_snapshot(repository.folder, commit), tmp_path / "exports")

    assert (made / "check.py").read_text() == "x = 1\n"
    assert (made / "한글/파일.txt").read_text() == "안녕"
    assert (made / "tool.sh").stat().st_mode & stat.S_IXUSR
    assert (made / "link").readlink() == Path("tool.sh")
    assert not (made / ".git").exists()


def test_what_is_not_committed_is_used_and_marked(repository: Repository, tmp_path: Path):
    repository.write(".gitignore", "*.secret\n")
    repository.commit(same="1\n", changed="1\n", removed="1\n")
    repository.write("changed.py", "2\n")
    repository.write("fresh.py", "3\n")
    repository.write("key.secret", "x\n")
    (repository.folder / "removed.py").unlink()

    snapshot = take_snapshot(repository.folder)
    made = export(snapshot, tmp_path / "exports")

    assert snapshot.dirty == {
        "changed.py": "53c234e5e8472b6ac51c1ae1cab3fe06fad053beb8ebfd8977b010655bfdd3c3",
        "fresh.py": "1121cfccd5913f0a63fec40a6ffd44ea64f9dc135c66634ba001d10bcf4302a2",
        "removed.py": "deleted",
    }
    assert sorted(one.name for one in made.iterdir()) == [".gitignore", "changed.py", "fresh.py", "same.py"]
    assert (made / "changed.py").read_text() == "2\n"


def test_a_file_that_changes_back_is_clean_again(repository: Repository):
    repository.commit(check="1\n")
    repository.write("check.py", "2\n")
    assert list(take_snapshot(repository.folder).dirty) == ["check.py"]

    repository.write("check.py", "1\n")

    assert take_snapshot(repository.folder).dirty == {}


def test_a_link_out_of_the_repository_leads_nowhere(repository: Repository, tmp_path: Path):
    (repository.folder / "out").symlink_to("/etc/passwd")
    (repository.folder / "up").symlink_to("../../secret")
    repository.commit(check="1\n")
    (repository.folder / "later").symlink_to("/etc")

    made = export(take_snapshot(repository.folder), tmp_path / "exports")

    assert sorted(one.name for one in made.iterdir()) == ["check.py"]


def test_a_folder_that_became_a_link_is_not_followed(repository: Repository, tmp_path: Path):
    repository.write("data/key.txt", "mine")
    repository.commit(check="1\n")
    elsewhere = tmp_path / "elsewhere"
    (repository.folder / "data").rename(elsewhere)
    (elsewhere / "key.txt").write_text("of another")
    (repository.folder / "data").symlink_to(elsewhere)

    snapshot = take_snapshot(repository.folder)

    assert snapshot.dirty["data/key.txt"] == "deleted"
    assert not (export(snapshot, tmp_path / "exports") / "data").exists()


def test_no_program_that_the_repository_names_is_run(repository: Repository, tmp_path: Path):
    ran = tmp_path / "ran"
    trap = tmp_path / "trap.sh"
    trap.write_text(f'#!/bin/sh\necho "$0 $@" >> {ran}\ncat\n')
    trap.chmod(0o755)
    repository.write(".gitattributes", "*.py filter=trap diff=trap ident export-subst\n")
    commit = repository.commit(check="# $Id$ $Format:%H$\n")
    for name in ("filter.trap.smudge", "filter.trap.clean", "filter.trap.process", "diff.trap.textconv"):
        repository.git("config", name, str(trap))
    for name in ("core.fsmonitor", "core.pager", "core.sshCommand", "diff.external", "credential.helper"):
        repository.git("config", name, str(trap))
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for name in ("post-checkout", "reference-transaction", "post-index-change", "pre-auto-gc", "fsmonitor-watchman"):
        (hooks / name).symlink_to(trap)
    repository.git("config", "core.hooksPath", str(hooks))
    ran.unlink(missing_ok=True)
    os.utime(repository.folder / "check.py", (1, 1))

    made = export(take_snapshot(repository.folder), tmp_path / "exports")

    assert not ran.exists()
    assert (made / "check.py").read_text() == "# $Id$ $Format:%H$\n"
    assert take_snapshot(repository.folder).commit == commit


def test_a_fetch_brings_the_newest_commit_and_touches_nothing(repository: Repository, tmp_path: Path):
    ours, ran = tmp_path / "mounted", tmp_path / "ran"
    repository.commit(check="1\n")
    repository.git("clone", "--quiet", str(repository.folder), str(ours))
    newest = repository.commit(check="2\n")
    trap = tmp_path / "trap.sh"
    trap.write_text(f'#!/bin/sh\necho hook >> {ran}\nexec git-upload-pack "$@"\n')
    trap.chmod(0o755)
    (ours / ".git/hooks/reference-transaction").symlink_to(trap)
    with (ours / ".git/config").open("a") as config:
        config.write(f'[remote "origin"]\nuploadpack = {trap}\n')

    fetched = fetch_commit(ours)

    assert fetched == newest
    assert read_script(take_snapshot(ours, fetched), "check.py") == "2\n"
    assert (ours / "check.py").read_text() == "1\n"
    assert take_snapshot(ours).dirty == {}
    assert not ran.exists()


@pytest.mark.parametrize("address", ["ext::sh -c 'touch ran'", "--upload-pack=touch", "file:///nowhere/there"])
def test_a_fetch_that_cannot_be_says_so(repository: Repository, address: str):
    repository.commit(check="1\n")
    repository.git("config", "remote.origin.url", address)

    with pytest.raises(ScriptUnusable, match="git_failed"):
        fetch_commit(repository.folder)

    assert not (repository.folder / "ran").exists()


def test_a_git_that_hangs_is_ended(repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    repository.commit(check="1\n")
    slow = tmp_path / "bin/git"
    slow.parent.mkdir()
    slow.write_text("#!/bin/sh\nexec sleep 3600\n")
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", f"{slow.parent}:{os.environ['PATH']}")
    monkeypatch.setattr(reading, "READ_SECONDS", 0.2)

    with pytest.raises(ScriptUnusable, match="took longer"):
        take_snapshot(repository.folder)


def test_a_commit_that_is_not_there_is_said_to_be(repository: Repository):
    repository.commit(check="1\n")

    with pytest.raises(ScriptUnusable, match="git_failed"):
        take_snapshot(repository.folder, "0" * 40)


def test_a_repository_too_large_to_export_is_refused(repository: Repository, monkeypatch: pytest.MonkeyPatch):
    repository.commit(check="1\n" * 100)
    monkeypatch.setattr(reading, "LARGEST_EXPORT", 150)

    with pytest.raises(ScriptUnusable, match="1 files"):
        take_snapshot(repository.folder)
