# expect: passed
import mmap

MiB = 1 << 20


def hoard(fileno, flags):
    """Touch much and give it back: it stays allocated, and no count of resident pages sees it."""
    held = mmap.mmap(fileno, 256 * MiB, flags=flags)
    for start in range(0, 256 * MiB, MiB):
        held[start : start + MiB] = bytes(MiB)
        held.madvise(mmap.MADV_DONTNEED, start, MiB)
    print("ESCAPED: a quarter of a GiB")


try:
    hoard(-1, mmap.MAP_SHARED | mmap.MAP_ANONYMOUS)
except OSError:
    pass
try:
    hoard(open("/dev/zero", "r+b").fileno(), mmap.MAP_SHARED)
except OSError:
    pass
assert len(mmap.mmap(-1, MiB, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)) == MiB
with open("mine", "wb") as file:
    file.truncate(MiB)
with open("mine", "r+b") as file, mmap.mmap(file.fileno(), MiB) as shared:
    shared[0] = 1
