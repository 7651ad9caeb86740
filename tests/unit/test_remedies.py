"""What a machine lacks comes with what its operator can do, by platform and user."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from graders import remedies
from graders.sandbox import apparmor, cgroups
from graders.sandbox.level import Level, Machine, refusal

PLAIN = Machine(namespaces="", landlock=6, ids=False)


def names(machine: Machine, *, is_root: bool) -> set[str]:
    return {missing.name for missing in remedies._missing(machine, is_root=is_root)} - {"control group"}


def test_a_machine_that_has_all_lacks_nothing() -> None:
    assert names(PLAIN, is_root=False) == set()


def test_each_thing_that_is_refused_is_named() -> None:
    assert names(Machine("unshare: no", 0, ids=False), is_root=True) == {"namespaces", "Landlock", "users"}


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("/proc/sys/user/max_user_namespaces", "max_user_namespaces to 1000"),
        ("/proc/sys/kernel/unprivileged_userns_clone", "unprivileged_userns_clone to 1"),
        ("", "Linux 5.14"),
    ],
)
def test_the_remedy_for_refused_namespaces_follows_from_what_refuses_them(
    path: str, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remedies, "_reads", lambda asked: "0" if asked == path else "")
    assert says in remedies.remedy_for_namespaces(is_root=False)
    assert "container" in remedies.remedy_for_namespaces(is_root=True)


def test_where_apparmor_refuses_them_a_profile_of_ours_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = [sys.executable, "-c", "print('started')"]
    assert apparmor.under_profile(command) == command
    monkeypatch.setattr(apparmor, "RESTRICTED", tmp_path / "restricted")
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    (tmp_path / "restricted").write_text("1\n")
    assert "make apparmor" in remedies.remedy_for_namespaces(is_root=False)
    wished = apparmor.under_profile(command)
    assert wished != command
    # Without the profile the program starts as it would have.
    assert subprocess.run(wished, capture_output=True, check=True, text=True).stdout == "started\n"
    (tmp_path / "restricted").write_text("0\n")
    assert apparmor.under_profile(command) == command


@pytest.mark.parametrize("system", ["Darwin", "Windows"])
def test_elsewhere_the_remedy_is_a_container(system: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remedies.platform, "system", lambda: system)
    (missing,) = remedies.missing_here()
    assert system in missing.what
    assert "container" in missing.remedy


def test_levels_follow_from_what_is_granted(monkeypatch: pytest.MonkeyPatch) -> None:
    def levels(*, namespaces: str = "no", landlock: int = 0, ids: bool = False) -> list[str]:
        return [level.value for level in Machine(namespaces, landlock, ids).levels()]

    monkeypatch.setattr("os.geteuid", lambda: 0)
    assert levels(namespaces="", landlock=6, ids=True) == ["full", "container"]
    assert levels(landlock=1, ids=True) == ["container"]
    assert levels(landlock=6) == []  # root without the right to be somebody else
    assert levels(ids=True) == []
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    assert levels(namespaces="", landlock=6) == ["full", "personal"]
    assert levels(landlock=6) == ["personal"]
    assert levels(namespaces="") == ["full"]
    assert levels() == []
    assert "no Landlock" in refusal(Machine("no", 0, ids=False))
    assert "namespaces are refused" in refusal(Machine("no", 6, ids=False), Level.FULL)


class TestControlGroups:
    """Where they are found, on made-up trees of both versions."""

    def tree(self, tmp_path: Path, *, mountinfo: str, membership: str) -> Path:
        proc = tmp_path / "proc"
        proc.mkdir()
        (proc / "cgroup").write_text(membership)
        (proc / "mountinfo").write_text(mountinfo.replace("@", str(tmp_path)))
        return proc

    def unified(self, tmp_path: Path, controllers: str) -> Path:
        group = tmp_path / "fs" / "app.service"
        group.mkdir(parents=True)
        (group / "cgroup.controllers").write_text(controllers)
        (group / "cgroup.subtree_control").write_text("")
        (group / "cgroup.procs").write_text("")
        return group

    MOUNT = "30 1 0:26 / @/fs rw,nosuid - cgroup2 cgroup2 rw\n"

    def test_version_2_needs_what_is_below_to_be_left_to_us(self, tmp_path: Path) -> None:
        group = self.unified(tmp_path, "cpu memory pids")
        proc = self.tree(tmp_path, mountinfo=self.MOUNT, membership="0::/app.service\n")
        assert cgroups.versions(proc) == {2}
        assert cgroups.find(proc) is None
        (group / "cgroup.subtree_control").write_text("memory pids")
        assert cgroups.find(proc) == cgroups.Found(2, {"memory": group, "pids": group})

    def test_version_2_without_the_controllers_is_of_no_use(self, tmp_path: Path) -> None:
        self.unified(tmp_path, "hugetlb")
        proc = self.tree(tmp_path, mountinfo=self.MOUNT, membership="0::/app.service\n")
        assert cgroups.versions(proc) == set()

    def test_version_1_has_a_folder_for_each_controller(self, tmp_path: Path) -> None:
        for name in ("memory", "pids"):
            (tmp_path / name / "inner").mkdir(parents=True)
        mounts = "".join(
            f"3{n} 1 0:3{n} /outer @/{name} rw - cgroup cgroup rw,{name}\n"
            for n, name in enumerate(("memory", "pids"))
        )
        proc = self.tree(
            tmp_path, mountinfo=mounts, membership="4:memory:/outer/inner\n3:pids:/outer/inner\n0::/\n"
        )
        assert cgroups.find(proc) == cgroups.Found(
            1, {"memory": tmp_path / "memory" / "inner", "pids": tmp_path / "pids" / "inner"}
        )

    def test_the_limits_of_version_2_are_written(self, tmp_path: Path) -> None:
        group = self.unified(tmp_path, "memory pids")
        (group / "cgroup.subtree_control").write_text("memory pids")
        leftover = group / "quizapp-999999999"  # of a pid that no system has
        leftover.mkdir()
        made = cgroups.Group(
            cgroups.Found(2, {"memory": group, "pids": group}), 77, memory_bytes=1 << 20, processes=9
        )
        made.add(4321)
        assert not leftover.exists()
        written = {path.name: path.read_text() for path in (group / "quizapp-77").iterdir()}
        assert written == {"memory.max": "1048576", "pids.max": "9", "cgroup.procs": "4321"}

    def test_no_groups_at_all_is_nothing_to_mend(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(cgroups, "find", lambda: None)
        monkeypatch.setattr(cgroups, "versions", set)
        missing = remedies.missing_groups(is_root=False)
        assert missing is not None
        assert "Nothing need be done" in missing.remedy

    @pytest.mark.parametrize(
        ("version", "is_root", "says"),
        [
            (2, True, "systemd service with Delegate=yes"),
            (2, False, "user service with Delegate=yes"),
            (1, True, "docker run --memory"),
            (1, False, "root alone"),
        ],
    )
    def test_the_remedy_depends_on_the_version_and_the_user(
        self, version: int, is_root: bool, says: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(cgroups, "find", lambda: None)
        monkeypatch.setattr(cgroups, "versions", lambda: {version})
        missing = remedies.missing_groups(is_root=is_root)
        assert missing is not None
        assert says in missing.remedy
