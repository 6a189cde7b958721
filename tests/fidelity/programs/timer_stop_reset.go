// What Stop and Reset say of a timer that runs, was stopped, was received from, or is due and unread; no stale value comes after them.
package main

import "time"

func program() {
	t := time.NewTimer(time.Hour)
	poll := func() bool {
		select {
		case <-t.C:
			return true
		default:
			return false
		}
	}
	say("runs, stop: %t", t.Stop())
	say("stopped, stop: %t", t.Stop())
	say("stopped, reset: %t", t.Reset(20*time.Millisecond))
	say("runs, reset: %t", t.Reset(10*time.Millisecond))
	<-t.C
	say("received, stop: %t", t.Stop())
	say("received, reset: %t", t.Reset(10*time.Millisecond))
	time.Sleep(30 * time.Millisecond)
	say("due and unread, stop: %t", t.Stop())
	say("a value after that: %t", poll())
	say("stopped, reset: %t", t.Reset(10*time.Millisecond))
	time.Sleep(30 * time.Millisecond)
	say("due and unread, reset: %t", t.Reset(time.Hour))
	say("a value after that: %t", poll())
	say("runs, reset: %t", t.Reset(10*time.Millisecond))
	time.Sleep(30 * time.Millisecond)
	say("due, len %d, cap %d, a value: %t", len(t.C), cap(t.C), poll())
	say("and another: %t", poll())
	say("received, reset: %t", t.Reset(0))
	<-t.C
	say("main ends")
}
