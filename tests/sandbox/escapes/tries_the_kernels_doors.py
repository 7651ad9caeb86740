# expect: passed
import ctypes
import errno
import os
import platform

libc = ctypes.CDLL(None, use_errno=True)
doors = {
    "x86_64": {"ptrace": 101, "keyctl": 250, "unshare": 272, "setns": 308, "bpf": 321, "io_uring_setup": 425,
               "memfd_create": 319, "userfaultfd": 323, "mount": 165, "pidfd_open": 434, "process_vm_readv": 310,
               "flock": 73, "shmget": 29, "setuid": 105, "chroot": 161, "clone3": 435, "perf_event_open": 298},
    "aarch64": {"ptrace": 117, "keyctl": 219, "unshare": 97, "setns": 268, "bpf": 280, "io_uring_setup": 425,
                "memfd_create": 279, "userfaultfd": 282, "mount": 40, "pidfd_open": 434, "flock": 32,
                "shmget": 194, "setuid": 146, "chroot": 51, "clone3": 435, "perf_event_open": 241},
}[platform.machine()]
for name, number in doors.items():
    if libc.syscall(number, 0, 0, 0, 0, 0, 0) >= 0 or ctypes.get_errno() not in (errno.EPERM, errno.ENOSYS):
        print("ESCAPED", name, os.strerror(ctypes.get_errno()))
