# expect: timeout
import signal
import time

signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
time.sleep(60)
