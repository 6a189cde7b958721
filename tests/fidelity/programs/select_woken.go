// A select that waits on three channels is woken by exactly one of them, and is forgotten by the others.
package main

import (
	"runtime"
	"sync"
)

func program() {
	var wg sync.WaitGroup
	a, b, c := make(chan int), make(chan int), make(chan int)
	wg.Add(2)
	go func() {
		for range 4 {
			say("select waits")
			select {
			case v := <-a:
				say("a gave %d", v)
			case v := <-b:
				say("b gave %d", v)
			case v := <-c:
				say("c gave %d", v)
			}
		}
		wg.Done()
	}()
	runtime.Gosched()
	go func() {
		say("plain waits on b")
		say("plain got %d", <-b)
		wg.Done()
	}()
	runtime.Gosched()
	say("to c")
	c <- 1
	say("to b")
	b <- 2
	say("both sent")
	runtime.Gosched()
	b <- 3
	runtime.Gosched()
	a <- 4
	runtime.Gosched()
	c <- 5
	wg.Wait()
	say("main ends")
}
