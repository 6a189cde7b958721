// Four receivers wait: they are served in the order in which they began to wait, and the one served last runs first.
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
			say("%d waits", i)
			v := <-ch
			say("%d got %d", i, v)
			wg.Done()
		}()
	}
	runtime.Gosched()
	for v := range 4 {
		ch <- v
		say("main has sent %d", v)
	}
	wg.Wait()
	say("main ends")
}
