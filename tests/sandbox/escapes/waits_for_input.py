# expect: error
input("Your password? ")
