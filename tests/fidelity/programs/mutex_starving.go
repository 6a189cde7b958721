// One that waited more than a millisecond and lost again makes the mutex starve: unlock hands it over, and the new owner runs at once.
package main

import (
	"runtime"
	"sync"
	"time"
)

func program() {
	var mu sync.Mutex
	var wg sync.WaitGroup
	mu.Lock()
	wg.Add(5)
	waiter := func(i int) {
		say("%d wants it", i)
		mu.Lock()
		say("%d has it", i)
		mu.Unlock()
		say("%d has left it", i)
		wg.Done()
	}
	for i := range 3 {
		go waiter(i)
	}
	time.Sleep(3 * time.Millisecond)
	say("main unlocks and locks")
	mu.Unlock()
	mu.Lock()
	say("main has it again")
	runtime.Gosched()
	go waiter(3)
	go func() {
		if mu.TryLock() {
			say("the other took it without waiting")
			mu.Unlock()
		} else {
			say("the other does not wait")
		}
		wg.Done()
	}()
	say("main hands over")
	mu.Unlock()
	say("main goes on")
	mu.Lock()
	say("main has it a third time")
	mu.Unlock()
	say("main has left it")
	wg.Wait()
	say("free: %t", mu.TryLock())
}
