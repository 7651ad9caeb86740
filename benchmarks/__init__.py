"""How long a verdict takes. Needs nothing but the product and the standard library."""
