"""Whatever a program leaves in its folder, the folder goes, and nothing outside of it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from graders.sandbox.folders import DEEPEST, Hidden, JailFolders, used

LEFT = {
    "without rights": "mkdir -m 000 closed; mkdir -p a/b/c; chmod 400 a/b; chmod 000 a",
    "links": "ln -s / root; ln -s loop loop; ln -s ../.. up; ln -s nowhere nowhere",
    "odd names": "touch -- '-rf' ' ' $'\\n' $'\\xff\\xfe'; mkdir -- '--'; touch -- '--/...'",
    "files": "for n in $(seq 300); do touch $n; done; mkdir x; touch x/y",
}


@pytest.fixture
def folders(tmp_path: Path) -> JailFolders:
    above = tmp_path / "above"
    above.mkdir()
    (tmp_path / "kept").write_text("kept")
    return JailFolders(str(above))


@pytest.mark.parametrize("what", LEFT)
def test_it_is_removed(what: str, folders: JailFolders, tmp_path: Path) -> None:
    folder = folders.make(None)
    subprocess.run(["bash", "-c", LEFT[what]], cwd=folder, check=True)
    folders.remove(folder)
    assert not os.path.exists(folder)
    assert (tmp_path / "kept").read_text() == "kept"
    folders.remove(folder)  # once more does nothing


def test_folders_within_folders_are_removed_however_many(folders: JailFolders) -> None:
    folder = folders.make(None)
    here = os.getcwd()
    try:
        os.chdir(folder)
        for _ in range(3000):
            os.mkdir("d")
            os.chdir("d")
        Path("end").touch()
    finally:
        os.chdir(here)
    folders.remove(folder)
    assert not os.path.exists(folder)


def test_what_is_used_is_counted_up_to_a_number_of_entries(folders: JailFolders) -> None:
    folder = Path(folders.make(None))
    (folder / "in").mkdir()
    (folder / "in" / "large").write_bytes(bytes(1 << 20))
    (folder / "link").symlink_to("/")
    size, count = used(str(folder), 100)
    assert count == 3
    assert 1 << 20 <= size < 2 << 20
    assert used(str(folder), 2)[1] == 2


@pytest.mark.parametrize("above", [DEEPEST - 1, DEEPEST, 3000])
def test_no_file_is_too_deep_to_be_counted_but_the_folder_itself_may_be(
    above: int, folders: JailFolders
) -> None:
    folder = folders.make(None)
    here = os.getcwd()
    try:
        os.chdir(folder)
        for _ in range(above):
            os.mkdir("d" * 200)  # so that no path reaches the file
            os.chdir("d" * 200)
        Path("file").write_bytes(bytes(1 << 20))
    finally:
        os.chdir(here)
    if above > DEEPEST:
        with pytest.raises(Hidden):
            used(folder, 10_000)
    else:
        size, count = used(folder, 10_000)
        assert (size >= 1 << 20, count) == (True, above + 1)
    folders.remove(folder)  # pytest could not


def test_each_folder_is_new_and_all_go_at_the_end(folders: JailFolders, tmp_path: Path) -> None:
    made = [folders.make(None) for _ in range(3)]
    assert len(set(made)) == 3
    assert os.stat(tmp_path / "above").st_mode & 0o777 == 0o711
    folders.remove_all()
    assert not (tmp_path / "above").exists()
