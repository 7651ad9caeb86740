# expect: passed
import os

for path in ("/proc/self/environ", "/proc/1/maps", "/etc/shadow", "/etc/hostname", "@CANARY@"):
    try:
        with open(path) as file:
            print("ESCAPED", path, file.read(20))
    except OSError:
        pass
for folder in ("/proc", "/sys", "/boot", "/usr/share", "/var/log", "/home", "/root"):
    try:
        print("ESCAPED", folder, os.listdir(folder)[:3])
    except OSError:
        pass
