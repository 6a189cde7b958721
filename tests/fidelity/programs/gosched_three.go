// Three goroutines take turns with Gosched: the global queue is first in, first out.
package main

import (
	"runtime"
	"sync"
)

func program() {
	var wg sync.WaitGroup
	wg.Add(3)
	for i := range 3 {
		go func() {
			for round := range 4 {
				say("%d round %d", i, round)
				runtime.Gosched()
			}
			say("%d ends", i)
			wg.Done()
		}()
	}
	say("main yields")
	runtime.Gosched()
	say("main again")
	wg.Wait()
	say("main ends")
}
