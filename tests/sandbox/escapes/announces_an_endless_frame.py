# expect: crashed
import os

os.write(3, b"\xff\xff\xff\xff" + b"x" * 1000)
