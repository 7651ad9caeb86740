# expect: error; alone: forbidden
with open("@MARKER@", "w") as file:
    file.write("ESCAPED")
