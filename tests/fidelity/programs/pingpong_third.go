// Two goroutines hand a ball to and fro through runnext, on one slice; a third waits in the ring until they block otherwise.
package main

import "sync"

func program() {
	var wg sync.WaitGroup
	ping, pong := make(chan int), make(chan int)
	wg.Add(3)
	go func() {
		go func() {
			say("third runs")
			wg.Done()
		}()
		for i := range 8 {
			say("ping %d", i)
			ping <- i
			say("back %d", <-pong)
		}
		close(ping)
		wg.Done()
	}()
	go func() {
		for v := range ping {
			say("pong %d", v)
			pong <- v
		}
		say("pong ends")
		wg.Done()
	}()
	wg.Wait()
	say("main ends")
}
