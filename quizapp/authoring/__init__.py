"""Help for authors: new content to start from, and schemas for their editors."""
