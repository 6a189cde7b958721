"""The show of `gosched demo`: seven acts, each measured while it is watched, and a picture of what came out.

sizes       how large each act is, on which build
stage       where it is shown: lines, a line that is rewritten in place, bars
outcome     what an act leaves: figures, charts, words
crowd       act 1, many goroutines; tasks: as many tasks, in a process of their own
hops        act 2, a channel against a queue
stealing    act 3, work that spreads over Ps; track: who ran when, from a trace
hog         act 4, a loop that never ends beside a ticker
naps        act 5, calls that block
echo        act 6, connections; server: their other ends, in a process of its own
stuck       act 7, a deadlock
picture     the page
show        all of it
"""
