// Closing wakes four blocked senders, which panic; the order is that of receivers.
package main

import (
	"runtime"
	"sync"
)

func program() {
	var wg sync.WaitGroup
	ch := make(chan int, 1)
	wg.Add(5)
	for i := range 5 {
		go func() {
			defer wg.Done()
			defer func() {
				if reason := recover(); reason != nil {
					say("%d: %v", i, reason)
				}
			}()
			say("%d sends", i)
			ch <- i
			say("%d has sent", i)
		}()
	}
	runtime.Gosched()
	close(ch)
	say("main has closed")
	wg.Wait()
	for v := range ch {
		say("left: %d", v)
	}
	func() {
		defer func() { say("main: %v", recover()) }()
		close(ch)
	}()
	func() {
		defer func() { say("main: %v", recover()) }()
		ch <- 1
	}()
}
