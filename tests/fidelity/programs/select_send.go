// Selects that wait to send or to receive meet plain operations and each other.
package main

import (
	"runtime"
	"sync"
)

func program() {
	var wg sync.WaitGroup
	in, out := make(chan int), make(chan int)
	wg.Add(2)
	go func() {
		held := 0
		for range 4 {
			say("relay holds %d", held)
			select {
			case v := <-in:
				say("relay took %d", v)
				held = v
			case out <- held:
				say("relay gave %d", held)
			}
		}
		wg.Done()
	}()
	runtime.Gosched()
	in <- 5
	say("main has sent 5")
	runtime.Gosched()
	say("main got %d", <-out)
	runtime.Gosched()
	go func() {
		say("other selects")
		select {
		case v := <-out:
			say("other got %d", v)
		case v := <-make(chan int):
			say("never %d", v)
		}
		wg.Done()
	}()
	runtime.Gosched()
	say("main sends 6")
	in <- 6
	say("main has sent 6")
	wg.Wait()
	say("main ends")
}
