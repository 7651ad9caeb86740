"""Sending answers, running code, asking for verdicts, keeping drafts.

Addresses (every form works without a script; with HX-Request the partial alone is answered):

    POST /items/<item_id>/submissions     version, once, seen (optional), and the answer's fields:
                                          choice: option=B · card: knew=yes|no · prompt, interview: text=… ·
                                          exercise: source=…
    GET  /submissions/<public_id>         the page of one submission; asks nothing of anybody
    POST /submissions/<public_id>/ticks   ticked=0&ticked=2 (indexes of the key points that were covered)
    POST /items/<item_id>/runs            version, source
    GET  /runs/<public_id>
    POST or PUT /items/<item_id>/draft    the answer's fields, revision (optional: the one the page knows; without
                                          it the draft is overwritten). With PUT or HX-Request it answers JSON:
                                          200 {"revision": 4, "saved_at": "<ISO 8601>"},
                                          409 {"revision": 5, "answer": {…}} when another page saved meanwhile,
                                          422 {"problem": "…"}; a plain POST goes back to the item with 303.

Endpoints: submissions.send, .show, .tick, .run, .show_run, .save_draft.

The hidden fields of an answer form are one include, which an htmx answer replaces out of band:

    {% set tokens = answer_tokens(item, seen=attempts) %}{% include "submissions/_tokens.html" %}

    `answer_tokens` is a template global. seen: how many submissions of this person to this item the page knows
    of (0 on a fresh page). It makes a choice answered in another tab meanwhile a refusal, not a free look at the
    key; leave it out where that does not matter. A form for Run alone takes the same include.

What the templates get, always:

    item            the catalogue's Item *as the learner saw it* (the stored version), not the newest
    tokens          fresh ones for the next answer to this item. Every partial that answers htmx ends with
                    {% if partial_only %}{% include "submissions/_tokens.html" %}{% endif %}
    partial         name of the partial, which show.html includes: "submissions/_verdict.html" (exercises),
                    "submissions/_review.html" (all other kinds), "submissions/_run.html",
                    "submissions/_refused.html"
    partial_only    True when the partial alone goes out, to htmx; show.html then is not used

_verdict.html and _review.html (also for learning's pages, through `showing.submission_context(submission)`):

    submission      models.Submission: public_id, item_id, attempt_no, created_at, answer (dict as sent:
                    {"option": "B"}, {"knew": true}, {"text": "…"} plus "ticked": [0, 2] later, {"source": "…"})
    state           "waiting"   a worker has it, ask again
                    "delayed"   we failed several times; it is kept and will be graded; the learner can go on
                    "ticks"     prompts and interviews: stored; show key points and model answer to be ticked
                    or a Status of graders.verdict ("passed", "failed", "error", …)
    verdict         graders.verdict.Verdict (status, summary, centipoints, checks, output, error, …) or None
    reveal          True when key, whys, solution, errata, explanation, model answer may be shown. A template
                    shows none of them otherwise
    poll_url        where to ask again; None unless waiting or delayed. Poll with
                    hx-get="{{ poll_url }}" hx-trigger="load delay:1s" hx-swap="outerHTML" hx-target="this", and show
                    a plain link to it, "Ask again". The page itself carries a Refresh header then
    changed_since   True when the item's files have changed since the learner saw it

_run.html:

    run             models.Run: public_id, source, created_at, finished_at
    state           "waiting", "delayed", or a Status ("passed": it ran to its end)
    report          graders.verdict.RunReport or None
    poll_url        as above

_refused.html (status 409, 422 or 503):

    refusal         rules.Refusal: refusal.title, refusal.text; refusal.value is a slug for data-refusal
    problem         "" or one more sentence about what was typed
    answer          dict of what was typed, kept; offer it again when partial_only is False: with htmx the form is
                    still on the page
    action          "submission" or "run"
    action_url      where the form posts
"""
