"""Engines of other people that do the same job by rules of their own, and for which the kit has drivers.

`table` says which there are and which version of each; `places` where one lies on this machine and what is there;
`fetching` brings what is published to that place. `confining` starts its driver where it can reach nothing and write
nothing but its run's own folder, and `running` makes a run of that. Where there is nothing to run, `unmade` says so in
a report of the ordinary form. Nothing of these engines is part of the kit.
"""
