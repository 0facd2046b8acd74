"""What can go wrong between the renderer's file and the NAS, in words for those who must act on it."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pabal.base import disk
from pabal.base.errors import Invalid, NotFound, PabalError, Unavailable

_REFUSED = (errno.EROFS, errno.EACCES, errno.EPERM)


class NasUnavailable(Unavailable, code="nas_unavailable"):
    """The NAS folder does not answer, or went away while it was used. Check that it is mounted and reachable."""


class NasFull(NasUnavailable, code="nas_full"):
    """There is no room left on the NAS. Free some space there; the copy is then made again."""


class NasReadOnly(NasUnavailable, code="nas_read_only"):
    """The NAS folder cannot be written. Check the rights of the account that mounts it."""


class SourceMissing(NotFound, code="source_missing"):
    """The rendered file is not where the renderer should have put it. Check the output folder and its path variable."""


class SourceUnreadable(Unavailable, code="source_unreadable"):
    """The rendered file is there, but it cannot be read. Check the rights on the output folder, and its disk."""


class CopyMismatch(Unavailable, code="copy_mismatch"):
    """What the NAS gives back is not what was written, or the rendered file changed meanwhile. Nothing was kept."""


class CopyStopped(PabalError, code="copy_stopped"):
    """The copy was called off. Nothing was kept on the NAS."""


class PathNotMapped(Invalid, code="path_not_mapped"):
    """No path variable says what this path is called on the other machine. Add one that covers it."""


class BadPathVariable(Invalid, code="bad_path_variable"):
    """A path variable is a line such as: output = /mnt/output | D:/output | \\\\NAS\\output, with absolute paths."""


class BadOutputTemplate(Invalid, code="bad_output_template"):
    """The name of the output is a relative path with {id} in its last part; {composition_name} and {broadcast_date} may
    be used too."""


class OutsideFolder(Invalid, code="outside_folder"):
    """This path leads out of the folder it must stay in."""


class NotProject(Invalid, code="not_a_project"):
    """This file is no After Effects project, or a damaged one."""


class RenderedFileMissing(NotFound, code="rendered_file_missing"):
    """The file of this render is not on the NAS. Check that the NAS is mounted and has room. If the file was moved or
    deleted there, copy or render it again."""


KO: dict[str, str] = {
    "nas_unavailable": "NAS 폴더가 응답하지 않거나 쓰는 중에 사라졌습니다. 마운트와 네트워크를 확인하세요.",
    "nas_full": "NAS에 남은 공간이 없습니다. 공간을 비우면 다시 복사합니다.",
    "nas_read_only": "NAS 폴더에 쓸 수 없습니다. 마운트한 계정의 권한을 확인하세요.",
    "source_missing": "렌더링한 파일이 있어야 할 곳에 없습니다. 출력 폴더와 경로 변수를 확인하세요.",
    "source_unreadable": "렌더링한 파일이 있지만 읽을 수 없습니다. 출력 폴더의 권한과 디스크를 확인하세요.",
    "copy_mismatch": "NAS에서 다시 읽은 내용이 보낸 것과 다르거나 그사이 원본이 바뀌었습니다. 남긴 것은 없습니다.",
    "copy_stopped": "복사를 그만두었습니다. NAS에 남긴 것은 없습니다.",
    "path_not_mapped": "이 경로를 다른 쪽에서 무엇이라 부르는지 알 수 없습니다. 해당하는 경로 변수를 추가하세요.",
    "bad_path_variable": r"경로 변수는 output = /mnt/output | D:/output | \\NAS\output 꼴로, 절대 경로로 적으세요.",
    "bad_output_template": "출력 이름은 마지막 부분에 {id}가 있는 상대 경로입니다. "
    "{composition_name}과 {broadcast_date}도 쓸 수 있습니다.",
    "outside_folder": "정해진 폴더 밖을 가리키는 경로입니다.",
    "not_a_project": "After Effects 프로젝트가 아니거나 손상된 파일입니다.",
    "rendered_file_missing": "렌더링 결과가 NAS에 없습니다. NAS 마운트와 남은 공간을 확인하세요. "
    "파일을 옮겼거나 지웠다면 다시 복사하거나 다시 렌더링하세요.",
}


@contextmanager
def naming_nas_faults(path: Path) -> Iterator[None]:
    """What the file system refuses inside, said as what a person must look at."""
    try:
        yield
    except OSError as error:
        fault = f"{path}: {error.strerror or error}"
        if disk.is_full(error):
            raise NasFull(fault) from error
        raise (NasReadOnly if error.errno in _REFUSED else NasUnavailable)(fault) from error


@contextmanager
def naming_source_faults(path: Path) -> Iterator[None]:
    try:
        yield
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError) as error:
        raise SourceMissing(str(path)) from error
    except OSError as error:
        raise SourceUnreadable(f"{path}: {error.strerror or error}") from error
