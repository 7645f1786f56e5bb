"""Who joins: policies that say which rows become atoms, one file each."""
