# expect: too-many-processes; alone: forbidden
import os
import time

while True:
    if os.fork() == 0:
        time.sleep(3)
        os._exit(0)
