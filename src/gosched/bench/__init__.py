"""The benchmark suite: cases × runtimes, every cell in a fresh process. `python -m gosched.bench --help`; README.md says how to read it.

Where things are:

    run         the command: which rows there are, rounds, tables, JSON
    cases       the cases: how large, what is counted, the right answer, the bars
    runtimes/   one file per runtime, in it one function per case; go/ is their twin in Go
    work        what the goroutines of all runtimes do alike
    cell        the fresh process: one case on one runtime, once
    hosts       what runs a cell: an interpreter, or the compiled Go program
    probe       what an interpreter is and has
    table       the figures of a case
    bars        what the project promises, and whether a run keeps it
    report      the tables
    stamp       machine, date and commit, so that a table can be judged later
    userp       a command of its own: two builds of gosched against each other
"""
