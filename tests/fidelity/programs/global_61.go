// Three goroutines yield into the global queue while 250 wait in the ring: one of the three is taken at every 61st tick.
package main

import (
	"runtime"
	"sync"
)

func program() {
	var wg sync.WaitGroup
	ran := 0
	wg.Add(253)
	for i := range 3 {
		go func() {
			say("%d yields", i)
			runtime.Gosched()
			say("%d comes back after %d", i, ran)
			wg.Done()
		}()
	}
	for range 250 {
		go func() {
			ran++
			wg.Done()
		}()
	}
	wg.Wait()
	say("main after %d", ran)
}
