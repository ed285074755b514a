"""Pictures of the API as PNG, and the picture of a result."""
