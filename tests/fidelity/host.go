// The host of one Go program of a pair: every program is a function program() that says what happens; this file runs it.
// What was said is printed at the end only: a write in the middle is a system call, and those let sysmon take the P away.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
)

var said strings.Builder

func say(format string, args ...any) {
	fmt.Fprintf(&said, format, args...)
	said.WriteByte('\n')
}

// align returns at a tick that is 1 modulo 61. The scheduler looks at the global queue first when its tick is divisible by 61,
// and how far the tick has come when main starts is the runtime's affair, not the program's.
func align() {
	const crowd = 130
	var wg sync.WaitGroup
	ran := 0
	one := func() {
		ran++
		wg.Done()
	}
	wg.Add(crowd)
	for range crowd {
		go one()
	}
	for ran == 0 {
		runtime.Gosched() // overtakes what is left of the crowd, at a tick divisible by 61; not before runnext, which is no tick
	}
	left := (crowd - ran) % 61
	wg.Wait() // a tick for each of the crowd; this goroutine itself comes back through runnext, which is none
	wg.Add(62 - left)
	for range 62 - left {
		go one() // the last one is in runnext
	}
	wg.Wait()
}

func main() {
	if runtime.GOMAXPROCS(0) != 1 {
		panic("run with GOMAXPROCS=1")
	}
	align()
	program()
	os.Stdout.WriteString(said.String())
}
