"""People, one-time links, content versions, answers and verdicts."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "content_versions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column(
            "hash", sa.String(length=64), nullable=False, comment="SHA-256 of the canonical JSON, in hex"
        ),
        sa.Column("item_id", sa.String(length=80), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("body", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_content_versions")),
        sa.UniqueConstraint("hash", name=op.f("uq_content_versions_hash")),
    )
    op.create_index(op.f("ix_content_versions_item_id"), "content_versions", ["item_id"], unique=False)
    op.create_table(
        "people",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("public_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("email", sa.String(length=254), nullable=True, comment="normalised: see rules.read_email"),
        sa.Column("password_hash", sa.String(length=255), nullable=True),
        sa.Column("role", sa.String(length=16), nullable=False),
        sa.Column(
            "sign_in_key",
            sa.String(length=32),
            nullable=False,
            comment="part of every session; a new one ends all sessions of this person",
        ),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.CheckConstraint("role = 'learner' OR email IS NOT NULL", name=op.f("ck_people_teacher_has_email")),
        sa.CheckConstraint("role IN ('learner', 'teacher')", name=op.f("ck_people_role_is_known")),
        sa.CheckConstraint(
            "password_hash IS NULL OR email IS NOT NULL", name=op.f("ck_people_password_needs_email")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_people")),
        sa.UniqueConstraint("email", name=op.f("uq_people_email")),
        sa.UniqueConstraint("public_id", name=op.f("uq_people_public_id")),
    )
    op.create_table(
        "sign_in_attempts",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column(
            "account",
            sa.String(length=64),
            nullable=False,
            comment="SHA-256 of what was typed as the address: it may be a password in the wrong box",
        ),
        sa.Column("address", sa.String(length=64), nullable=False, comment="see rules.address_group"),
        sa.Column("at", sa.DateTime(), nullable=False),
        sa.Column("succeeded", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sign_in_attempts")),
    )
    op.create_index("ix_sign_in_attempts_account_at", "sign_in_attempts", ["account", "at"], unique=False)
    op.create_index("ix_sign_in_attempts_address_at", "sign_in_attempts", ["address", "at"], unique=False)
    op.create_index("ix_sign_in_attempts_at", "sign_in_attempts", ["at"], unique=False)
    op.create_table(
        "drafts",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.String(length=80), nullable=False),
        sa.Column("answer", sa.JSON(), nullable=False),
        sa.Column(
            "revision",
            sa.Integer(),
            nullable=False,
            comment="counts from 1; a page that knows an older one may not overwrite",
        ),
        sa.Column("updated_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["person_id"], ["people.id"], name=op.f("fk_drafts_person_id_people"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_drafts")),
        sa.UniqueConstraint("person_id", "item_id", name=op.f("uq_drafts_person_id_item_id")),
    )
    op.create_table(
        "one_time_links",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("token_sha256", sa.String(length=64), nullable=False),
        sa.Column("purpose", sa.String(length=16), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column(
            "made_by_id", sa.Integer(), nullable=True, comment="the teacher; null from the command line"
        ),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("expires_at", sa.DateTime(), nullable=False),
        sa.Column("used_at", sa.DateTime(), nullable=True),
        sa.Column("voided_at", sa.DateTime(), nullable=True, comment="a newer link took its place"),
        sa.CheckConstraint(
            "(purpose = 'first-teacher' AND person_id IS NULL) OR (purpose = 'set-password' AND"
            " person_id IS NOT NULL)",
            name=op.f("ck_one_time_links_person_fits_purpose"),
        ),
        sa.ForeignKeyConstraint(
            ["made_by_id"],
            ["people.id"],
            name=op.f("fk_one_time_links_made_by_id_people"),
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["person_id"], ["people.id"], name=op.f("fk_one_time_links_person_id_people"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_one_time_links")),
        sa.UniqueConstraint("token_sha256", name=op.f("uq_one_time_links_token_sha256")),
    )
    op.create_index(op.f("ix_one_time_links_person_id"), "one_time_links", ["person_id"], unique=False)
    op.create_table(
        "runs",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("public_id", sa.Uuid(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.String(length=80), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column(
            "report",
            sa.JSON(none_as_null=True),
            nullable=True,
            comment="graders.verdict.RunReport.to_json(); null while it waits",
        ),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("finished_at", sa.DateTime(), nullable=True),
        sa.Column("claimed_at", sa.DateTime(), nullable=True, comment="when a worker took it; a lease"),
        sa.Column("claimed_by", sa.String(length=40), nullable=True),
        sa.Column("tries", sa.Integer(), nullable=False, comment="runs that ended in a fault of ours"),
        sa.Column("next_try_at", sa.DateTime(), nullable=True, comment="null: at once"),
        sa.ForeignKeyConstraint(
            ["person_id"], ["people.id"], name=op.f("fk_runs_person_id_people"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["version_id"], ["content_versions.id"], name=op.f("fk_runs_version_id_content_versions")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_runs")),
        sa.UniqueConstraint("public_id", name=op.f("uq_runs_public_id")),
    )
    op.create_index("ix_runs_finished_at_next_try_at", "runs", ["finished_at", "next_try_at"], unique=False)
    op.create_index(op.f("ix_runs_person_id"), "runs", ["person_id"], unique=False)
    op.create_index(op.f("ix_runs_version_id"), "runs", ["version_id"], unique=False)
    op.create_table(
        "set_aside_texts",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("public_id", sa.Uuid(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.String(length=80), nullable=False),
        sa.Column("answer", sa.JSON(), nullable=False, comment="as in the draft"),
        sa.Column("written_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["person_id"], ["people.id"], name=op.f("fk_set_aside_texts_person_id_people"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_set_aside_texts")),
        sa.UniqueConstraint("public_id", name=op.f("uq_set_aside_texts_public_id")),
    )
    op.create_index(op.f("ix_set_aside_texts_person_id"), "set_aside_texts", ["person_id"], unique=False)
    op.create_table(
        "submissions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("public_id", sa.Uuid(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.String(length=80), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column(
            "once",
            sa.String(length=64),
            nullable=False,
            comment="the form's id with this answer, hashed: the same form sent twice is one row",
        ),
        sa.Column(
            "attempt_no",
            sa.Integer(),
            nullable=False,
            comment="counts this person's submissions to this item from 1",
        ),
        sa.Column("answer", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("waits_for", sa.String(length=8), nullable=True, comment="null once the verdict is stored"),
        sa.Column("claimed_at", sa.DateTime(), nullable=True, comment="when a worker took it; a lease"),
        sa.Column("claimed_by", sa.String(length=40), nullable=True),
        sa.Column("tries", sa.Integer(), nullable=False, comment="gradings that ended in a fault of ours"),
        sa.Column("next_try_at", sa.DateTime(), nullable=True, comment="null: at once"),
        sa.CheckConstraint(
            "waits_for IN ('grader', 'learner')", name=op.f("ck_submissions_waits_for_is_known")
        ),
        sa.CheckConstraint("attempt_no >= 1", name=op.f("ck_submissions_attempts_count_from_one")),
        sa.CheckConstraint("tries >= 0", name=op.f("ck_submissions_tries_not_negative")),
        sa.ForeignKeyConstraint(
            ["person_id"], ["people.id"], name=op.f("fk_submissions_person_id_people"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["version_id"], ["content_versions.id"], name=op.f("fk_submissions_version_id_content_versions")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_submissions")),
        sa.UniqueConstraint(
            "person_id", "item_id", "attempt_no", name=op.f("uq_submissions_person_id_item_id_attempt_no")
        ),
        sa.UniqueConstraint("person_id", "once", name=op.f("uq_submissions_person_id_once")),
        sa.UniqueConstraint("public_id", name=op.f("uq_submissions_public_id")),
    )
    op.create_index(op.f("ix_submissions_item_id"), "submissions", ["item_id"], unique=False)
    op.create_index(op.f("ix_submissions_version_id"), "submissions", ["version_id"], unique=False)
    op.create_index(
        "ix_submissions_waits_for_next_try_at", "submissions", ["waits_for", "next_try_at"], unique=False
    )
    op.create_table(
        "in_flight",
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column(
            "address",
            sa.String(length=64),
            nullable=True,
            comment="where someone without an account came from; null for accounts",
        ),
        sa.Column("kind", sa.String(length=10), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=True),
        sa.Column("submission_id", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.CheckConstraint(
            "(kind = 'run' AND run_id IS NOT NULL AND submission_id IS NULL) OR (kind = 'submission'"
            " AND submission_id IS NOT NULL AND run_id IS NULL)",
            name=op.f("ck_in_flight_one_thing_of_its_kind"),
        ),
        sa.ForeignKeyConstraint(
            ["person_id"], ["people.id"], name=op.f("fk_in_flight_person_id_people"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["run_id"], ["runs.id"], name=op.f("fk_in_flight_run_id_runs"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["submission_id"],
            ["submissions.id"],
            name=op.f("fk_in_flight_submission_id_submissions"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("person_id", name=op.f("pk_in_flight")),
        sa.UniqueConstraint("run_id", name=op.f("uq_in_flight_run_id")),
        sa.UniqueConstraint("submission_id", name=op.f("uq_in_flight_submission_id")),
    )
    op.create_index(op.f("ix_in_flight_address"), "in_flight", ["address"], unique=False)
    op.create_table(
        "verdicts",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("submission_id", sa.Integer(), nullable=False),
        sa.Column("status", sa.String(length=20), nullable=False),
        sa.Column(
            "centipoints",
            sa.Integer(),
            nullable=False,
            comment="hundredths of a point, so that sums are exact",
        ),
        sa.Column("max_centipoints", sa.Integer(), nullable=False),
        sa.Column(
            "seed",
            sa.String(length=32),
            nullable=False,
            comment="with the content version it repeats the grading; empty where nothing is drawn",
        ),
        sa.Column("milliseconds", sa.Double(), nullable=False),
        sa.Column("summary", sa.Text(), nullable=False),
        sa.Column("body", sa.JSON(), nullable=False, comment="graders.verdict.Verdict.to_json()"),
        sa.Column("graded_at", sa.DateTime(), nullable=False),
        sa.CheckConstraint(
            "status IN ('passed', 'failed', 'error', 'timeout', 'memory', 'output-limit',"
            " 'too-many-processes', 'crashed', 'forbidden', 'not-gradable', 'stopped', 'broken')",
            name=op.f("ck_verdicts_status_is_final"),
        ),
        sa.CheckConstraint(
            "centipoints BETWEEN 0 AND max_centipoints", name=op.f("ck_verdicts_centipoints_within_maximum")
        ),
        sa.ForeignKeyConstraint(
            ["submission_id"],
            ["submissions.id"],
            name=op.f("fk_verdicts_submission_id_submissions"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_verdicts")),
        sa.UniqueConstraint("submission_id", name=op.f("uq_verdicts_submission_id")),
    )
    op.create_table(
        "check_verdicts",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("verdict_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False, comment="counts from 0 in the author's order"),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("status", sa.String(length=20), nullable=False),
        sa.Column("centipoints", sa.Integer(), nullable=False),
        sa.Column("max_centipoints", sa.Integer(), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.CheckConstraint(
            "centipoints BETWEEN 0 AND max_centipoints",
            name=op.f("ck_check_verdicts_centipoints_within_maximum"),
        ),
        sa.ForeignKeyConstraint(
            ["verdict_id"],
            ["verdicts.id"],
            name=op.f("fk_check_verdicts_verdict_id_verdicts"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_check_verdicts")),
        sa.UniqueConstraint("verdict_id", "position", name=op.f("uq_check_verdicts_verdict_id_position")),
    )


def downgrade() -> None:
    op.drop_table("check_verdicts")
    op.drop_table("verdicts")
    op.drop_index(op.f("ix_in_flight_address"), table_name="in_flight")
    op.drop_table("in_flight")
    op.drop_index("ix_submissions_waits_for_next_try_at", table_name="submissions")
    op.drop_index(op.f("ix_submissions_version_id"), table_name="submissions")
    op.drop_index(op.f("ix_submissions_item_id"), table_name="submissions")
    op.drop_table("submissions")
    op.drop_index(op.f("ix_set_aside_texts_person_id"), table_name="set_aside_texts")
    op.drop_table("set_aside_texts")
    op.drop_index(op.f("ix_runs_version_id"), table_name="runs")
    op.drop_index(op.f("ix_runs_person_id"), table_name="runs")
    op.drop_index("ix_runs_finished_at_next_try_at", table_name="runs")
    op.drop_table("runs")
    op.drop_index(op.f("ix_one_time_links_person_id"), table_name="one_time_links")
    op.drop_table("one_time_links")
    op.drop_table("drafts")
    op.drop_index("ix_sign_in_attempts_at", table_name="sign_in_attempts")
    op.drop_index("ix_sign_in_attempts_address_at", table_name="sign_in_attempts")
    op.drop_index("ix_sign_in_attempts_account_at", table_name="sign_in_attempts")
    op.drop_table("sign_in_attempts")
    op.drop_table("people")
    op.drop_index(op.f("ix_content_versions_item_id"), table_name="content_versions")
    op.drop_table("content_versions")
