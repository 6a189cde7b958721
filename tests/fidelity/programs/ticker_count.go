// A ticker beside a sleeper; a late reader finds one tick, not all it missed; Stop ends it, Reset begins it anew.
package main

import (
	"sync"
	"time"
)

func program() {
	var wg sync.WaitGroup
	ticker := time.NewTicker(30 * time.Millisecond)
	poll := func() bool {
		select {
		case <-ticker.C:
			return true
		default:
			return false
		}
	}
	wg.Add(1)
	go func() {
		time.Sleep(75 * time.Millisecond)
		say("sleeper")
		wg.Done()
	}()
	for i := range 3 {
		<-ticker.C
		say("tick %d", i+1)
	}
	wg.Wait()
	time.Sleep(105 * time.Millisecond)
	say("late: %t", poll())
	say("and another: %t", poll())
	ticker.Stop()
	time.Sleep(60 * time.Millisecond)
	say("after stop: %t", poll())
	ticker.Reset(10 * time.Millisecond)
	say("at once after reset: %t", poll())
	<-ticker.C
	say("tick")
	<-ticker.C
	say("tick")
	ticker.Stop()
}
