// Broadcast by one that keeps the lock for another turn: the woken queue up for the mutex in the order in which they ran.
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
			say("%d has unlocked", i)
			wg.Done()
		}()
	}
	runtime.Gosched()
	mu.Lock()
	cond.Broadcast()
	say("main has broadcast")
	runtime.Gosched()
	say("main still has the lock")
	mu.Unlock()
	say("main has unlocked")
	wg.Wait()
	say("main ends")
}
