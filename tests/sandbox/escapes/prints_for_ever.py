# expect: output-limit
while True:
    print("on and on")
