# expect: too-many-processes
import threading

stop = threading.Event()
while True:
    threading.Thread(target=stop.wait, daemon=True).start()
