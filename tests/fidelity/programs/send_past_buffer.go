// Sends on a buffered channel with waiting receivers pass the buffer by; it fills only when nobody waits.
package main

import (
	"runtime"
	"sync"
)

func program() {
	var wg sync.WaitGroup
	ch := make(chan int, 2)
	wg.Add(3)
	for i := range 3 {
		go func() {
			say("receiver %d waits", i)
			v := <-ch
			say("receiver %d got %d", i, v)
			wg.Done()
		}()
	}
	runtime.Gosched()
	for i := range 5 {
		ch <- i
		say("main has sent %d, %d in the buffer", i, len(ch))
	}
	wg.Wait()
	say("main takes %d", <-ch)
	say("main takes %d, %d in the buffer", <-ch, len(ch))
}
