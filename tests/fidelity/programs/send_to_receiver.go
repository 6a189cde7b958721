// A send to a waiting receiver: the receiver is next, and the sender goes on until it blocks.
package main

import (
	"runtime"
	"sync"
)

func program() {
	var wg sync.WaitGroup
	ch := make(chan int)
	wg.Add(2)
	go func() {
		for range 3 {
			say("receiver waits")
			v := <-ch
			say("receiver got %d", v)
		}
		wg.Done()
	}()
	go func() {
		say("bystander")
		wg.Done()
	}()
	runtime.Gosched()
	for i := range 3 {
		say("main sends %d", i)
		ch <- i
		say("main has sent %d", i)
	}
	wg.Wait()
	say("main ends")
}
