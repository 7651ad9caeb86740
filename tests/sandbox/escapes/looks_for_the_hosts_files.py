# expect: passed
# levels: full
import os

for path in ("/proc/self/environ", "/proc/1/maps", "/sys", "/boot", "/usr/share", "/var/log", "/etc/shadow", "/etc/hostname", "@CANARY@"):
    if os.path.exists(path):
        print("ESCAPED", path)
print(sorted(os.listdir("/")))
