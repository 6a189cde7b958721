// Callers of Once.Do wait until the first call is over; then they pass one after the other.
package main

import (
	"runtime"
	"sync"
)

func program() {
	var once sync.Once
	var wg sync.WaitGroup
	ch := make(chan string)
	wg.Add(4)
	for i := range 4 {
		go func() {
			say("%d calls", i)
			once.Do(func() {
				say("%d does it", i)
				say("%d got %s", i, <-ch)
			})
			say("%d is back", i)
			wg.Done()
		}()
	}
	runtime.Gosched()
	say("main sends")
	ch <- "it"
	say("main goes on")
	wg.Wait()
	once.Do(func() { say("never said") })
	say("main ends")
}
