"""What every room stands on: thresholds, errors, checks of what users hand in, threads, compiled
leaves."""
