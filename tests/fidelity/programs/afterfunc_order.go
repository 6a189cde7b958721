// AfterFunc runs its functions in the order of their deadlines; a stopped one never; one may start another.
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
	time.AfterFunc(40*time.Millisecond, func() { tell("40") })
	time.AfterFunc(20*time.Millisecond, func() {
		tell("20")
		time.AfterFunc(40*time.Millisecond, func() { tell("20 + 40") })
	})
	stopped := time.AfterFunc(50*time.Millisecond, func() { tell("never said") })
	time.AfterFunc(80*time.Millisecond, func() { tell("80") })
	say("main waits")
	time.Sleep(30 * time.Millisecond)
	say("stopped: %t", stopped.Stop())
	say("stopped again: %t", stopped.Stop())
	wg.Wait()
	say("main ends")
}
