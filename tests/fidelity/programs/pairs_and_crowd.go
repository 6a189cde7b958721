// A pair on a channel among a hundred goroutines that yield: runnext, ring, global queue and the 61st tick together.
package main

import (
	"runtime"
	"sync"
)

func program() {
	var wg sync.WaitGroup
	ch := make(chan int)
	wg.Add(102)
	for i := range 100 {
		go func() {
			for round := range 3 {
				say("%d.%d", i, round)
				runtime.Gosched()
			}
			wg.Done()
		}()
	}
	go func() {
		for i := range 40 {
			say("send %d", i)
			ch <- i
			runtime.Gosched()
		}
		close(ch)
		wg.Done()
	}()
	go func() {
		for v := range ch {
			say("receive %d", v)
		}
		wg.Done()
	}()
	wg.Wait()
	say("main ends")
}
