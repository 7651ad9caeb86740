# expect: passed
import os
import signal

for pid in (-1, 0, os.getppid()):
    try:
        os.kill(pid, signal.SIGTERM)
    except OSError as error:
        print(pid, error)
