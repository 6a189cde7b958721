// One goroutine is started: its creator goes on, and it runs when the creator waits.
package main

import "sync"

func program() {
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		say("child")
		wg.Done()
		say("child after done")
	}()
	say("main goes on")
	wg.Wait()
	say("main again")
}
