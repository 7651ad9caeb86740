# expect: error
with open("@MARKER@", "w") as file:
    file.write("ESCAPED")
