# expect: forbidden
import os

import torch

with open(os.path.join(os.path.dirname(torch.__file__), "planted.py"), "w") as file:
    file.write("print('ESCAPED')")
