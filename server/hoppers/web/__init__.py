"""The web: pages for people, answers for programs, and the channel between them and the searches."""
