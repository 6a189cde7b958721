// A server that answers each request on the channel the request brings, three clients with two requests each.
package main

import (
	"runtime"
	"sync"
)

type request struct {
	number int
	reply  chan int
}

func program() {
	var wg sync.WaitGroup
	requests := make(chan request)
	go func() {
		for r := range requests {
			say("server has %d", r.number)
			r.reply <- r.number * 10
			say("server has answered %d", r.number)
		}
		say("server ends")
	}()
	wg.Add(3)
	for i := range 3 {
		go func() {
			reply := make(chan int)
			for n := range 2 {
				say("client %d asks", i)
				requests <- request{i*10 + n, reply}
				say("client %d waits", i)
				say("client %d got %d", i, <-reply)
			}
			wg.Done()
		}()
	}
	wg.Wait()
	close(requests)
	say("main has closed")
	runtime.Gosched()
	say("main ends")
}
