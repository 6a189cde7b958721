package main

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// tick says how late each of n ticks came that were due, a millisecond apart, also those that the ticker was too late for: their p99. Others run
// `disturb` until the last has come, and count how often they got on.
func tick(n, others int, disturb func(ran *atomic.Int64, over *atomic.Bool)) reading {
	var over atomic.Bool
	var wg sync.WaitGroup
	ran := make([]atomic.Int64, others)
	for i := range ran {
		wg.Go(func() { disturb(&ran[i], &over) })
	}
	delays := make([]int64, 0, n)
	due := time.Now().Add(time.Millisecond)
	ticker := time.NewTicker(time.Millisecond)
	for len(delays) < n {
		<-ticker.C
		at := time.Now()
		for !due.After(at) && len(delays) < n {
			delays = append(delays, at.Sub(due).Nanoseconds())
			due = due.Add(time.Millisecond)
		}
	}
	ticker.Stop()
	over.Store(true)
	wg.Wait()
	answer := len(delays)
	for i := range ran {
		if ran[i].Load() > 0 {
			answer++
		}
	}
	slices.Sort(delays)
	return reading{answer, delays[n-1-n/100]}
}

// hogs ticks beside n goroutines that only compute.
func hogs(n, work int) reading {
	return tick(work, n, func(ran *atomic.Int64, over *atomic.Bool) {
		for !over.Load() {
			ran.Add(1)
		}
	})
}

// sleepers ticks beside n goroutines that block in the system: time.Sleep would not block at all.
func sleepers(n, work int) reading {
	return tick(work, n, func(ran *atomic.Int64, over *atomic.Bool) {
		for !over.Load() {
			ran.Add(1)
			half := syscall.NsecToTimespec(500_000_000)
			if err := syscall.Nanosleep(&half, nil); err != nil && err != syscall.EINTR {
				fail(err.Error())
			}
		}
	})
}

// preempted compares one goroutine that spins with two that share the P, n times; what Python counts to, `work`, takes 300 ms or so, and so does this.
func preempted(n, work int) reading {
	const sample = 20_000_000
	begin := time.Now()
	spin(sample)
	spins := int(300_000_000 * sample / since(begin))
	counted := 0
	shares := make([]int64, n)
	for i := range shares {
		var wg sync.WaitGroup
		begin := time.Now()
		wg.Go(func() { spin(spins) })
		wg.Wait()
		alone := since(begin)
		begin = time.Now()
		wg.Go(func() { spin(spins) })
		wg.Go(func() { spin(spins) })
		wg.Wait()
		shares[i] = 2_000_000 * alone / since(begin)
		counted += 3 * work
	}
	slices.Sort(shares)
	return reading{counted, shares[n/2]}
}

// sysmon looks at the CPU of all threads but those that two goroutines play ping-pong on; of all threads if n is 0, and all wait.
func sysmon(n, work int) reading {
	var players sync.WaitGroup
	var over atomic.Bool
	waiting := parked(100)
	ran := map[int]bool{}
	if n > 0 {
		there, back := make(chan int), make(chan int)
		players.Go(func() {
			v := 0
			for !over.Load() {
				ran[syscall.Gettid()] = true
				there <- v
				v = <-back
			}
			close(there)
		})
		players.Go(func() {
			for v := range there {
				back <- v + 1
			}
		})
	}
	time.Sleep(100 * time.Millisecond)
	begin := time.Now()
	before := cpuOfThreads()
	time.Sleep(time.Duration(work) * time.Millisecond)
	after := cpuOfThreads()
	wall := since(begin)
	over.Store(true)
	players.Wait()
	woken := waiting.release()
	used := int64(0)
	for thread, cpu := range after {
		if !ran[thread] {
			used += cpu - before[thread]
		}
	}
	return reading{woken + n, used * 1_000_000_000 / wall}
}

// cpuOfThreads is what each thread of the process has used so far, in nanoseconds.
func cpuOfThreads() map[int]int64 {
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		fail(err.Error())
	}
	used := map[int]int64{}
	for _, task := range tasks {
		text, err := os.ReadFile("/proc/self/task/" + task.Name() + "/schedstat")
		if err != nil {
			continue // it has ended meanwhile
		}
		ns, err := strconv.ParseInt(strings.Fields(string(text))[0], 10, 64)
		if err != nil {
			fail(err.Error())
		}
		used[number(task.Name())] = ns
	}
	return used
}
