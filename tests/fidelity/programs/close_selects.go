// Closing wakes receivers that wait in select among receivers that wait plainly: one queue, one order.
package main

import (
	"runtime"
	"sync"
)

func program() {
	var wg sync.WaitGroup
	done, other := make(chan int), make(chan int)
	wg.Add(6)
	for i := range 6 {
		go func() {
			say("%d waits", i)
			if i%2 == 0 {
				select {
				case v := <-other:
					say("%d got %d from other", i, v)
				case _, ok := <-done:
					say("%d is done, open: %t", i, ok)
				}
			} else {
				_, ok := <-done
				say("%d woke, open: %t", i, ok)
			}
			wg.Done()
		}()
	}
	runtime.Gosched()
	other <- 7
	say("main has sent")
	close(done)
	say("main has closed")
	wg.Wait()
	say("main ends")
}
