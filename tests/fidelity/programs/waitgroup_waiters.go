// A wait group lets three waiters go: the newest first, then the others in order.
package main

import (
	"runtime"
	"sync"
)

func program() {
	var gate, wg sync.WaitGroup
	gate.Add(2)
	wg.Add(3)
	for i := range 3 {
		go func() {
			say("%d waits", i)
			gate.Wait()
			say("%d goes", i)
			wg.Done()
		}()
	}
	runtime.Gosched()
	gate.Done()
	say("one to go")
	runtime.Gosched()
	gate.Done()
	say("open")
	gate.Wait()
	say("main passes")
	wg.Wait()
	say("main ends")
}
