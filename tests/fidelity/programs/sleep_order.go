// Sleepers wake in the order of their deadlines, whatever the order of their start.
package main

import (
	"sync"
	"time"
)

func program() {
	var wg sync.WaitGroup
	wg.Add(4)
	for _, ms := range []int{60, 20, 80, 40} {
		go func() {
			say("sleeps %d ms", ms)
			time.Sleep(time.Duration(ms) * time.Millisecond)
			say("woke after %d ms", ms)
			wg.Done()
		}()
	}
	time.Sleep(0)
	say("a sleep of nothing does not yield")
	time.Sleep(-time.Second)
	say("nor does one of less")
	wg.Wait()
	say("main ends")
}
