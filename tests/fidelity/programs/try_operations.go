// Operations that do not wait, against waiting peers, a buffer and a closed channel.
package main

import (
	"runtime"
	"sync"
)

func program() {
	var wg sync.WaitGroup
	plain, buffered := make(chan int), make(chan int, 1)
	trySend := func(ch chan int, v int) bool {
		select {
		case ch <- v:
			return true
		default:
			return false
		}
	}
	tryRecv := func(ch chan int) (int, bool) {
		select {
		case v := <-ch:
			return v, true
		default:
			return 0, false
		}
	}
	say("nobody there: %t", trySend(plain, 1))
	_, got := tryRecv(plain)
	say("nothing there: %t", got)
	wg.Add(2)
	go func() {
		say("receiver waits")
		say("receiver got %d", <-plain)
		wg.Done()
	}()
	runtime.Gosched()
	say("to a receiver: %t", trySend(plain, 2))
	say("again: %t", trySend(plain, 3))
	runtime.Gosched()
	go func() {
		say("sender sends")
		plain <- 4
		say("sender has sent")
		wg.Done()
	}()
	runtime.Gosched()
	v, got := tryRecv(plain)
	say("from a sender: %d %t", v, got)
	_, got = tryRecv(plain)
	say("again: %t", got)
	say("into the buffer: %t", trySend(buffered, 5))
	say("full: %t", trySend(buffered, 6))
	v, got = tryRecv(buffered)
	say("out of the buffer: %d %t", v, got)
	wg.Wait()
	say("main ends")
}
