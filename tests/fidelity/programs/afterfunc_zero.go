// Functions that are due at once become goroutines when the scheduler looks next: the newest is in runnext, the others at the tail of the ring.
package main

import (
	"sync"
	"time"
)

func program() {
	var wg sync.WaitGroup
	wg.Add(4)
	tell := func(name string) {
		say("%s", name)
		wg.Done()
	}
	go tell("goroutine 1")
	go tell("goroutine 2")
	time.AfterFunc(0, func() { tell("timer 1") })
	time.AfterFunc(0, func() { tell("timer 2") })
	say("main waits")
	wg.Wait()
	say("main ends")
}
