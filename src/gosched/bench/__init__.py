"""The benchmark suite: cases × runtimes, every cell in a fresh process. `python -m gosched.bench --help`; README.md says how to read it.

Where things are:

    run         the command: which rows there are, rounds, or a run read from a file
    cases       the cases: how large, what is counted, the right answer, the bars
    runtimes/   one file per runtime, in it one function per case; go/ is their twin in Go
    work        what the goroutines of all runtimes do alike
    cell        the fresh process: one case on one runtime, once
    net/        the load of the network cases, and what starts it
    hosts       what runs a cell: an interpreter, or the compiled Go program
    probe       what an interpreter is and has
    table       the figures of a case, while they are measured
    progress    how far it is, and about how long it will take
    bars        what the project promises, and whether a run keeps it
    stamp       machine, date and commit, so that a table can be judged later
    record      all of a run in plain data: what --json writes, and reports are made of
    report      what a report says: summary, tables, bars
    plots       what it shows
    document    how it is written: Markdown, or one HTML page
    builds, view, lab    commands of their own, for what is not a case
"""
