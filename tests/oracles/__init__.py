"""Slow and obvious: what the fast algorithms are compared with. One file a paper, its equations as
printed but for the slips that its head lists; and a few files for what is no paper's."""
