# expect: crashed
import os
import time

os.closerange(0, 100)
time.sleep(60)
