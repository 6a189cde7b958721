// The one that hands a starving mutex over goes to the tail of its own ring: behind what is there, before the global queue.
package main

import (
	"runtime"
	"sync"
	"time"
)

func program() {
	var mu sync.Mutex
	var gate, wg sync.WaitGroup
	mu.Lock()
	wg.Add(4)
	for i := range 2 {
		go func() {
			say("%d wants it", i)
			mu.Lock()
			say("%d has it", i)
			mu.Unlock()
			say("%d goes on", i)
			wg.Done()
		}()
	}
	time.Sleep(3 * time.Millisecond)
	mu.Unlock()
	mu.Lock()
	say("main has it again")
	runtime.Gosched()
	gate.Add(1)
	go func() {
		say("the other yields")
		gate.Done()
		runtime.Gosched()
		say("the other comes back")
		wg.Done()
	}()
	gate.Wait()
	go func() {
		say("from the ring")
		wg.Done()
	}()
	say("main hands over")
	mu.Unlock()
	say("main goes on")
	wg.Wait()
	say("main ends")
}
