// A timeout by time.After in a select: the timer first, then the channel.
package main

import "time"

func program() {
	ch := make(chan string)
	go func() {
		time.Sleep(50 * time.Millisecond)
		say("sends")
		ch <- "value"
	}()
	for range 3 {
		select {
		case v := <-ch:
			say("main got %s", v)
		case <-time.After(30 * time.Millisecond):
			say("main is out of patience")
		}
	}
	say("main ends")
}
