"""The web application."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flask import Flask

    from quizapp.config import Settings


def create_app(settings: Settings | None = None) -> Flask:
    """Build one independent app; tests build their own with their own settings.

    Raises: ConfigError naming the variable and what to set.
    """
    # Imported here: the command line and the worker live in this package too, and wait for no web framework.
    from flask import Flask  # noqa: PLC0415

    from quizapp import db, errors, security, static_files  # noqa: PLC0415
    from quizapp.accounts import current  # noqa: PLC0415
    from quizapp.accounts.views import bp as accounts_bp  # noqa: PLC0415
    from quizapp.authoring import views as authoring  # noqa: PLC0415
    from quizapp.catalogue import Catalogue  # noqa: PLC0415
    from quizapp.catalogue.told import ToldProblems  # noqa: PLC0415
    from quizapp.config import Settings  # noqa: PLC0415
    from quizapp.learning.views import bp as learning_bp  # noqa: PLC0415
    from quizapp.submissions.views import bp as submissions_bp  # noqa: PLC0415

    settings = settings or Settings.from_environ()
    app = Flask(__name__)
    app.extensions["settings"] = settings
    app.extensions["catalogue"] = catalogue = Catalogue(settings.exercises)
    db.init_app(app, f"sqlite:///{settings.database_path}")
    app.before_request(catalogue.refresh)
    app.before_request(ToldProblems(catalogue).tell)
    current.init_app(app)
    security.init_app(app, settings)
    static_files.init_app(app)
    errors.init_app(app)
    app.register_blueprint(accounts_bp)
    app.register_blueprint(learning_bp)
    app.register_blueprint(submissions_bp)
    authoring.init_app(app)
    return app
