"""Which packages a wheel holds. All else stands in pyproject.toml, which cannot say both of these at once."""

from setuptools import find_packages, setup

setup(
    packages=[
        *find_packages(include=["quizapp*", "graders*"]),
        "quizapp.migrations",
        "quizapp.migrations.versions",
    ],
    package_dir={"quizapp.migrations": "migrations"},
)
