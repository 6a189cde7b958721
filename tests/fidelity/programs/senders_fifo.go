// Four senders wait on an unbuffered channel: values come in the order in which they began to wait.
package main

import (
	"runtime"
	"sync"
)

func program() {
	var wg sync.WaitGroup
	ch := make(chan int)
	wg.Add(4)
	for i := range 4 {
		go func() {
			say("%d sends", i)
			ch <- i
			say("%d has sent", i)
			wg.Done()
		}()
	}
	runtime.Gosched()
	say("main got %d", <-ch)
	say("main got %d", <-ch)
	runtime.Gosched()
	say("main got %d", <-ch)
	say("main got %d", <-ch)
	wg.Wait()
	say("main ends")
}
