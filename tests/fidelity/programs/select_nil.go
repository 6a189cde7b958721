// A nil channel takes a case out of a select: two streams, one at a time, each ended by nil.
package main

import (
	"runtime"
	"sync"
)

func program() {
	var wg sync.WaitGroup
	a, b := make(chan int), make(chan int)
	wg.Add(2)
	stream := func(name string, ch chan int, n int) {
		for i := range n {
			say("%s sends %d", name, i)
			ch <- i
		}
		close(ch)
		say("%s closed", name)
		wg.Done()
	}
	go stream("a", a, 3)
	go stream("b", b, 2)
	runtime.Gosched()
	var turn chan int
	turn, held := a, b
	for turn != nil || held != nil {
		var none chan int
		select {
		case v, ok := <-turn:
			say("main got %d %t", v, ok)
			if ok {
				if held != nil {
					turn, held = held, turn
				}
			} else {
				turn, held = held, nil
			}
		case v := <-none:
			say("never %d", v)
		case none <- 1:
			say("never")
		}
	}
	select {
	case v := <-turn:
		say("never %d", v)
	default:
		say("nil is never ready")
	}
	wg.Wait()
}
