# expect: failed, "the slope is that of x²", "That is the value of x², not its slope."
def slope(value):
    return value * value
