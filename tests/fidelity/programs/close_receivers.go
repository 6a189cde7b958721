// Closing wakes five receivers: the oldest first, then from the newest to the second oldest.
package main

import (
	"runtime"
	"sync"
)

func program() {
	var wg sync.WaitGroup
	ch := make(chan int)
	wg.Add(5)
	for i := range 5 {
		go func() {
			say("%d waits", i)
			_, ok := <-ch
			say("%d woke, open: %t", i, ok)
			wg.Done()
		}()
	}
	runtime.Gosched()
	close(ch)
	say("main has closed")
	wg.Wait()
	say("main ends")
}
