// Two goroutines meet in both directions: each sends and then receives, in opposite order.
package main

import "sync"

func program() {
	var wg sync.WaitGroup
	a, b := make(chan string), make(chan string)
	wg.Add(2)
	go func() {
		for i := range 3 {
			say("left arrives %d", i)
			a <- "left"
			say("left meets %s", <-b)
		}
		wg.Done()
	}()
	go func() {
		for i := range 3 {
			say("right arrives %d", i)
			say("right meets %s", <-a)
			b <- "right"
		}
		wg.Done()
	}()
	wg.Wait()
	say("main ends")
}
