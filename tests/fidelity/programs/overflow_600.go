// 600 goroutines that yield once: the ring overflows again and again, the global queue comes back in batches, and by every 61st tick.
package main

import (
	"runtime"
	"sync"
)

func program() {
	var wg sync.WaitGroup
	wg.Add(600)
	for i := range 600 {
		go func() {
			say("%d", i)
			runtime.Gosched()
			say("%d again", i)
			wg.Done()
		}()
	}
	say("all started")
	wg.Wait()
	say("main")
}
