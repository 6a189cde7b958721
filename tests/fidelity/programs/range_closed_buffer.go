// A closed channel gives what its buffer still holds, then nothing more; several goroutines range over it.
package main

import (
	"runtime"
	"sync"
)

func program() {
	var wg sync.WaitGroup
	ch := make(chan int, 6)
	for i := range 6 {
		ch <- i
	}
	close(ch)
	say("closed with %d", len(ch))
	wg.Add(2)
	for i := range 2 {
		go func() {
			for v := range ch {
				say("%d took %d", i, v)
				runtime.Gosched()
			}
			say("%d is through", i)
			wg.Done()
		}()
	}
	wg.Wait()
	v, ok := <-ch
	say("main: %d %t", v, ok)
}
