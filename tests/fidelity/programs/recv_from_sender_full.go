// Receives from a full buffer with waiting senders: the oldest value comes out, the oldest sender's goes in.
package main

import (
	"runtime"
	"sync"
)

func program() {
	var wg sync.WaitGroup
	ch := make(chan int, 2)
	wg.Add(5)
	for i := range 5 {
		go func() {
			say("sender %d sends", i)
			ch <- i
			say("sender %d has sent", i)
			wg.Done()
		}()
	}
	runtime.Gosched()
	for range 5 {
		v := <-ch
		say("main got %d, %d in the buffer", v, len(ch))
	}
	wg.Wait()
	say("main ends")
}
