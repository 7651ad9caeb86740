"""The learner's pages: home, chapter, quiz, cards, prompts, experiment, interview, exercise, progress."""
