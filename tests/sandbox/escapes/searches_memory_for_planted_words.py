# expect: passed
import ctypes
import gc
import os
import sys

needle = b"REF" + b"TOKEN-"  # put together here, so that the search finds no literal of its own
libc = ctypes.CDLL(None, use_errno=True)
libc.mincore.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p]
page = 4096
vector = ctypes.create_string_buffer(512)


def mapped_around(address, megabytes):
    """Start addresses of pages that can be read, found without /proc: mincore says which are mapped."""
    start = (address >> 21 << 21) - (megabytes << 20)
    for chunk in range(max(start, page), start + (2 * megabytes << 20), 512 * page):
        if libc.mincore(chunk, 512 * page, vector) == 0:
            yield chunk, 512 * page
        else:
            for single in range(chunk, chunk + 512 * page, page):
                if libc.mincore(single, page, vector) == 0:
                    yield single, page


anchors = {id(gc), id([]), id(object()), ctypes.addressof(vector), id(sys.modules)}
anchors |= {id(value) for value in gc.get_objects()[::20000]}
seen, searched = set(), 0
read_end, write_end = os.pipe()
for anchor in sorted({anchor >> 24 for anchor in anchors}):
    for start, length in mapped_around(anchor << 24, 24):
        if start in seen:
            continue
        seen.add(start)
        # write(2) says EFAULT for what cannot be read, where touching it would end the process.
        for at in range(start, start + length, page):
            if libc.write(write_end, ctypes.c_void_p(at), page) != page:
                continue
            data = os.read(read_end, page)
            searched += page
            place = data.find(needle)
            while place >= 0:
                if data[place + 9 : place + 25].isalnum():
                    print("ESCAPED: found", data[place : place + 25])
                place = data.find(needle, place + 1)
print("searched", searched >> 20, "MiB")
