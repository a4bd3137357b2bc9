"""Campaigns: many units of work, one after the other or on the workers of a cluster, with one result."""
