// 300 goroutines: the ring of 256 overflows once, and its older half goes to the global queue.
package main

import "sync"

func program() {
	var wg sync.WaitGroup
	wg.Add(300)
	for i := range 300 {
		go func() {
			say("%d", i)
			wg.Done()
		}()
	}
	say("all started")
	wg.Wait()
	say("main")
}
