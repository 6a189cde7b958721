// Three wait for a mutex: whoever unlocks goes on, and the waiters get it in order.
package main

import (
	"runtime"
	"sync"
)

func program() {
	var mu sync.Mutex
	var wg sync.WaitGroup
	mu.Lock()
	wg.Add(3)
	for i := range 3 {
		go func() {
			say("%d wants it", i)
			mu.Lock()
			say("%d has it", i)
			mu.Unlock()
			say("%d has left it", i)
			wg.Done()
		}()
	}
	runtime.Gosched()
	say("main unlocks")
	mu.Unlock()
	say("main goes on")
	wg.Wait()
	say("main ends")
}
