# expect: forbidden
import os

os.execv("/bin/sh", ["/bin/sh", "-c", "echo ESCAPED"])
