// A token goes round a ring of five goroutines while a second one follows it.
package main

import (
	"runtime"
	"sync"
)

func program() {
	var wg sync.WaitGroup
	const n = 5
	var links [n]chan int
	for i := range n {
		links[i] = make(chan int)
	}
	wg.Add(n)
	for i := range n {
		go func() {
			for token := range links[i] {
				say("%d has %d", i, token)
				if token%100 == 12 {
					continue
				}
				links[(i+1)%n] <- token + 1
			}
			say("%d ends", i)
			wg.Done()
		}()
	}
	links[0] <- 0
	say("one is on its way")
	links[2] <- 100
	say("two are on their way")
	for range 30 {
		runtime.Gosched()
	}
	for i := range n {
		close(links[i])
	}
	say("closed")
	wg.Wait()
	say("main ends")
}
