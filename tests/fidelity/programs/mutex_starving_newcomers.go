// While a mutex starves, newcomers queue at the tail and a try fails, even in the moment when nobody has it.
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
	wg.Add(6)
	waiter := func(i int) {
		say("%d wants it", i)
		mu.Lock()
		say("%d has it", i)
		runtime.Gosched()
		say("%d unlocks, try: %t", i, mu.TryLock())
		mu.Unlock()
		say("%d goes on", i)
		wg.Done()
	}
	for i := range 4 {
		go waiter(i)
	}
	time.Sleep(3 * time.Millisecond)
	mu.Unlock()
	mu.Lock()
	say("main has it again")
	runtime.Gosched()
	say("main hands over")
	mu.Unlock()
	say("main goes on")
	go waiter(4)
	runtime.Gosched()
	go waiter(5)
	say("main wants it")
	mu.Lock()
	say("main has it a third time")
	mu.Unlock()
	say("main has left it")
	wg.Wait()
	say("free: %t", mu.TryLock())
}
