# expect: error
class Evil(Exception):
    def __str__(self):
        raise RuntimeError("no text for you")

    __repr__ = __str__


raise Evil
