# expect: passed
import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
canary = "@CANARY@"
for name, attempt in {
    "chmod": lambda: os.chmod(canary, 0o777),
    "utime": lambda: os.utime(canary, (0, 0)),
    "truncate": lambda: os.truncate(canary, 0),
    "link": lambda: os.link(canary, "linked"),
    "rename": lambda: os.rename(canary, "moved"),
    "unlink": lambda: os.unlink(canary),
    "setxattr": lambda: os.setxattr(canary, "user.mark", b"ESCAPED"),
    "chown": lambda: os.chown(canary, os.getuid(), -1),
    "open by path": lambda: os.open(canary, os.O_WRONLY | os.O_APPEND),
}.items():
    try:
        attempt()
        print("ESCAPED", name)
    except OSError:
        pass
os.symlink(canary, "followed")
try:
    print("ESCAPED", open("followed").read())
except OSError:
    pass
descriptor = os.open(os.path.dirname(canary) or "/", os.O_PATH | os.O_DIRECTORY) if os.path.isdir(os.path.dirname(canary)) else -1
if descriptor >= 0:
    for attempt in (
        lambda: os.open(os.path.basename(canary), os.O_RDONLY, dir_fd=descriptor),
        lambda: os.mkdir("inside", dir_fd=descriptor),
        lambda: os.chmod("/proc/self/fd/%d" % descriptor, 0o777),
    ):
        try:
            attempt()
            print("ESCAPED beneath a descriptor")
        except OSError:
            pass
