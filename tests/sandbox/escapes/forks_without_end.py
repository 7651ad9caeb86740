# expect: too-many-processes
import os
import time

while True:
    if os.fork() == 0:
        time.sleep(3)
        os._exit(0)
