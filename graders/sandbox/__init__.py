"""Jails: how a program of a stranger is run, bounded and ended. The order of the layers stands in seal.py."""
