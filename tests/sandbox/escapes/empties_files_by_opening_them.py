# expect: passed
import json
import os

for path in ("@CANARY@", json.__file__):
    for way in (os.O_RDONLY, 3):  # 3: neither to read nor to write, for the kernel's own use
        try:
            os.close(os.open(path, way | os.O_TRUNC))
            print("ESCAPED: emptied", path)
        except OSError:
            pass
with open("mine", "w") as file:
    file.write("long")
with open("mine", "w") as file:
    file.write("ok")
assert open("mine").read() == "ok"
