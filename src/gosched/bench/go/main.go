// The cases on Go itself; those with channels are in channels.go, those that something stands in the way of in stalls.go.
//
//	bench CASE N WORK
//
// runs one case and prints its reading as JSON: the answer, and what was measured (nanoseconds in all, unless the case says what
// else). The cases do what their Python twins in ../runtimes do, and give the same answers. GOMAXPROCS is set by the caller.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

type reading struct {
	Answer int   `json:"answer"`
	Figure int64 `json:"figure"`
}

var cases = map[string]func(n, work int) reading{
	"spawn":       spawn,
	"yield":       yield,
	"memory":      memory,
	"fanout":      fanout,
	"tree":        tree,
	"free":        free,
	"life":        life,
	"chain":       chain,
	"pingpong":    pingpong,
	"pipeline":    pipeline,
	"select":      selectReady,
	"skynet":      skynet,
	"sieve":       sieve,
	"mutex":       mutex,
	"pairs":       pingpong,
	"timers":      timers,
	"plainhop":    pingpong,
	"plainspawn":  spawn,
	"plainpark":   park,
	"plainmemory": memory,
	"echo":        echoes,
	"connections": connections,
	"hogs":        hogs,
	"sleepers":    sleepers,
	"preempted":   preempted,
	"sysmon":      sysmon,
}

func main() {
	if len(os.Args) != 4 {
		fail("usage: bench CASE N WORK")
	}
	run, known := cases[os.Args[1]]
	if !known {
		fail("no such case: " + os.Args[1])
	}
	if err := json.NewEncoder(os.Stdout).Encode(run(number(os.Args[2]), number(os.Args[3]))); err != nil {
		fail(err.Error())
	}
}

// spawn starts n goroutines; one in `work` counts itself, the others do nothing.
func spawn(n, work int) reading {
	var ran atomic.Int64
	bodies := make([]func(), n)
	for i := range bodies {
		if i%work == 0 {
			bodies[i] = func() { ran.Add(1) }
		} else {
			bodies[i] = func() {}
		}
	}
	var wg sync.WaitGroup
	begin := time.Now()
	for _, body := range bodies {
		wg.Go(body)
	}
	wg.Wait()
	return reading{int(ran.Load()), since(begin)}
}

// yield lets n goroutines take `work` turns each.
func yield(n, work int) reading {
	var turns atomic.Int64
	var wg sync.WaitGroup
	begin := time.Now()
	for range n {
		wg.Go(func() {
			for range work {
				runtime.Gosched()
			}
			turns.Add(int64(work))
		})
	}
	wg.Wait()
	return reading{int(turns.Load()), since(begin)}
}

// memory parks n goroutines and looks at how much the process has grown.
func memory(n, _ int) reading {
	before := resident()
	waiting := parked(n)
	grown := resident() - before
	return reading{waiting.release(), grown}
}

// life starts n goroutines that wait, lets them go and waits for their end, `work` times.
func life(n, work int) reading {
	woken := 0
	begin := time.Now()
	for range work {
		woken += parked(n).release()
	}
	return reading{woken, since(begin)}
}

// crowd is goroutines that wait at one gate.
type crowd struct {
	arrived, gate, all sync.WaitGroup
	woken              atomic.Int64
}

func parked(n int) *crowd {
	c := new(crowd)
	c.arrived.Add(n)
	c.gate.Add(1)
	for range n {
		c.all.Go(func() {
			c.arrived.Done()
			c.gate.Wait()
			c.woken.Add(1)
		})
	}
	c.arrived.Wait()
	return c
}

// release opens the gate and waits for all; it says how many came through.
func (c *crowd) release() int {
	c.gate.Done()
	c.all.Wait()
	return int(c.woken.Load())
}

// park starts goroutines that each wait once, `work` at a time.
func park(n, work int) reading {
	var woken atomic.Int64
	begin := time.Now()
	gate := make(chan int)
	for range n / work {
		var all sync.WaitGroup
		for range work {
			all.Go(func() {
				<-gate
				woken.Add(1)
			})
		}
		runtime.Gosched()
		for i := range work {
			gate <- i
		}
		all.Wait()
	}
	return reading{int(woken.Load()), time.Since(begin).Nanoseconds()}
}

// fanout keeps n goroutines busy for 5 ms each. Python counts to `work` in that time; Go spins as long as that takes, and says `work` too.
func fanout(n, work int) reading {
	const sample = 20_000_000
	begin := time.Now()
	spin(sample)
	spins := int(5_000_000 * sample / since(begin))
	var counted atomic.Int64
	var wg sync.WaitGroup
	begin = time.Now()
	for range n {
		wg.Go(func() {
			spin(spins)
			counted.Add(int64(work))
		})
	}
	wg.Wait()
	return reading{int(counted.Load()), since(begin)}
}

// spin is a loop that the compiler cannot shorten.
//
//go:noinline
func spin(n int) uint64 {
	x := uint64(1)
	for range n {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}

// tree starts ten children from every node, down to n leaves, each of which is its number.
func tree(n, _ int) reading {
	begin := time.Now()
	sum := node(0, n)
	return reading{sum, since(begin)}
}

func node(first, leaves int) int {
	if leaves == 1 {
		return first
	}
	var sums [10]int
	var wg sync.WaitGroup
	part := leaves / len(sums)
	for i := range sums {
		wg.Go(func() { sums[i] = node(first+i*part, part) })
	}
	wg.Wait()
	sum := 0
	for _, s := range sums {
		sum += s
	}
	return sum
}

// free parks n goroutines and lets all of them go at once.
func free(n, _ int) reading {
	waiting := parked(n)
	begin := time.Now()
	woken := waiting.release()
	return reading{woken, since(begin)}
}

// chain starts n goroutines one after the other, each by the one before it.
func chain(n, _ int) reading {
	var wg sync.WaitGroup
	reached := 0
	var link func(k int)
	link = func(k int) {
		if k == n {
			reached = k
			return
		}
		wg.Go(func() { link(k + 1) })
	}
	begin := time.Now()
	wg.Go(func() { link(1) })
	wg.Wait()
	return reading{reached, since(begin)}
}

// mutex locks and unlocks n times what nobody else wants.
func mutex(n, _ int) reading {
	var lock sync.Mutex
	last := 0
	begin := time.Now()
	for i := range n {
		lock.Lock()
		last = i + 1
		lock.Unlock()
	}
	return reading{last, since(begin)}
}

// timers starts and stops `work` timers while n later ones are pending, and gives up its turn after every hundred.
func timers(n, work int) reading {
	fire := func() { fail("an hour has passed") }
	pending := make([]*time.Timer, n)
	for i := range pending {
		pending[i] = time.AfterFunc(time.Hour+time.Duration(i)*time.Second, fire)
	}
	stopped := 0
	begin := time.Now()
	for i := range work {
		if time.AfterFunc(time.Hour/2, fire).Stop() {
			stopped++
		}
		if i%100 == 0 {
			runtime.Gosched()
		}
	}
	figure := since(begin)
	for _, timer := range pending {
		timer.Stop()
	}
	return reading{stopped, figure}
}

func since(begin time.Time) int64 {
	return time.Since(begin).Nanoseconds()
}

// resident is the process's memory in bytes.
func resident() int64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		fail(err.Error())
	}
	return int64(number(strings.Fields(string(text))[1]) * os.Getpagesize())
}

func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		fail(err.Error())
	}
	return n
}

func fail(message string) {
	fmt.Fprintln(os.Stderr, message)
	os.Exit(2)
}
