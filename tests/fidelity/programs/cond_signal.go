// Signal wakes the one that has waited longest; two signals wake two, and the second of them runs first.
package main

import (
	"runtime"
	"sync"
)

func program() {
	var mu sync.Mutex
	var wg sync.WaitGroup
	cond := sync.NewCond(&mu)
	wg.Add(5)
	for i := range 5 {
		go func() {
			mu.Lock()
			say("%d waits", i)
			cond.Wait()
			say("%d woke", i)
			mu.Unlock()
			wg.Done()
		}()
	}
	runtime.Gosched()
	cond.Signal()
	say("main has signalled")
	runtime.Gosched()
	cond.Signal()
	cond.Signal()
	say("main has signalled twice")
	runtime.Gosched()
	cond.Broadcast()
	cond.Signal()
	say("main has broadcast")
	wg.Wait()
	say("main ends")
}
