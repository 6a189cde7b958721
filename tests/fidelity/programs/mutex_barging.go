// Unlock and lock again at once keeps the mutex from a waiter that was just woken; it waits again at the head of the queue.
package main

import (
	"runtime"
	"sync"
)

func program() {
	var mu sync.Mutex
	var wg sync.WaitGroup
	mu.Lock()
	wg.Add(4)
	waiter := func(i int) {
		say("%d wants it", i)
		mu.Lock()
		say("%d has it", i)
		runtime.Gosched()
		say("%d unlocks", i)
		mu.Unlock()
		wg.Done()
	}
	for i := range 3 {
		go waiter(i)
	}
	runtime.Gosched()
	for range 2 {
		mu.Unlock()
		mu.Lock()
		say("main has it again")
		runtime.Gosched()
	}
	mu.Unlock()
	mu.Lock()
	mu.Unlock()
	say("main has left it twice, and woken one")
	runtime.Gosched()
	go waiter(3)
	wg.Wait()
	say("free: %t", mu.TryLock())
	say("free: %t", mu.TryLock())
}
