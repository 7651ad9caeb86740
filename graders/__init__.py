"""The grading engine: runs what a learner wrote in a jail and decides, outside of it, what it is worth.

Usable alone (library, command line, CI). It knows neither Flask nor a database. `Grader` is the door.
"""
