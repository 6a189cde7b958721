// Polling with select, default and Gosched: the default case never waits.
package main

import (
	"runtime"
	"sync"
)

func program() {
	var wg sync.WaitGroup
	ch := make(chan int)
	wg.Add(1)
	go func() {
		for i := range 3 {
			for range i {
				runtime.Gosched()
			}
			say("sends %d", i)
			ch <- i
			say("has sent %d", i)
		}
		close(ch)
		wg.Done()
	}()
	for polls := 1; ; polls++ {
		select {
		case v, ok := <-ch:
			say("poll %d: %d %t", polls, v, ok)
			if !ok {
				wg.Wait()
				return
			}
		default:
			say("poll %d: nothing", polls)
			runtime.Gosched()
		}
	}
}
