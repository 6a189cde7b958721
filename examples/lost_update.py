"""A lost update over two channels, and how `explore` finds it: docs/testing.md.

An account answers questions about its balance on one channel and is told the new one on another. Two deposits that read the same balance, before
either has written, lose one of them. It works on every run that somebody tries by hand.

python examples/lost_update.py
"""

from gosched import Chan, WaitGroup, aselect, go
from gosched.testing import explore, virtual_run


async def account(reads, writes):
    balance = 0
    while True:
        match await aselect((reads.send, balance), writes.recv):
            case 1, written:
                balance = written


async def deposit(amount, reads, writes):
    balance = await reads.arecv()
    await writes.asend(balance + amount)


async def two_deposits():
    reads, writes, wg = Chan[int](), Chan[int](), WaitGroup()
    go(account, reads, writes)
    wg.go(deposit, 10, reads, writes)
    wg.go(deposit, 20, reads, writes)
    await wg
    balance = await reads.arecv()
    assert balance == 30, f"30 were paid in, and {balance} are there"


async def careful_deposit(amount, balances):
    balance = await balances.arecv()  # nobody else can have it until it is back
    await balances.asend(balance + amount)


async def two_careful_deposits():
    balances, wg = Chan[int](1), WaitGroup()
    await balances.asend(0)
    wg.go(careful_deposit, 10, balances)
    wg.go(careful_deposit, 20, balances)
    await wg
    balance = await balances.arecv()
    assert balance == 30, f"30 were paid in, and {balance} are there"


if __name__ == "__main__":
    virtual_run(two_deposits)
    print("one run: fine")
    try:
        explore(two_deposits)
    except AssertionError as error:
        print(error, *error.__notes__, sep="\n")
    print("careful:", explore(two_careful_deposits), "runs, all fine")
