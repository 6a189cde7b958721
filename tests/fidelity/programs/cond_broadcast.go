// Broadcast wakes four waiters: the newest first, then the others in order.
package main

import (
	"runtime"
	"sync"
)

func program() {
	var mu sync.Mutex
	var wg sync.WaitGroup
	cond := sync.NewCond(&mu)
	wg.Add(4)
	for i := range 4 {
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
	mu.Lock()
	cond.Broadcast()
	say("main has broadcast")
	mu.Unlock()
	say("main has unlocked")
	wg.Wait()
	say("main ends")
}
