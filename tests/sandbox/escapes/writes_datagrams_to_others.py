# expect: passed
import ctypes
import os
import socket

libc = ctypes.CDLL(None, use_errno=True)
for kind in (socket.SOCK_DGRAM, socket.SOCK_SEQPACKET, socket.SOCK_RAW):
    try:
        socket.socketpair(socket.AF_UNIX, kind)
        print("ESCAPED: a pair of kind", kind)
    except OSError:
        pass
left, right = socket.socketpair()
for name in ("/dev/log", "/run/systemd/journal/socket", "/run/systemd/notify", "\0quizapp"):
    try:
        left.sendto(b"ESCAPED", name)
        print("ESCAPED: sent to", name)
    except OSError:
        pass
try:
    left.send(b"x", socket.MSG_OOB)
    print("ESCAPED: out of band")
except OSError:
    pass
try:
    left.setsockopt(socket.SOL_SOCKET, 26, b"\0" * 16)  # SO_ATTACH_FILTER
    print("ESCAPED: a packet filter")
except OSError:
    pass
