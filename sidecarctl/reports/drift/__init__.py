"""The drift of pods: text, Markdown and documents."""
