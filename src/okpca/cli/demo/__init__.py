"""A story in under a minute: `okpca demo`. Its data ships with scikit-learn."""
