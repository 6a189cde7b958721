// A receive from a waiting sender, unbuffered: the sender is next, and the receiver goes on.
package main

import (
	"runtime"
	"sync"
)

func program() {
	var wg sync.WaitGroup
	ch := make(chan string)
	wg.Add(1)
	go func() {
		for _, v := range []string{"x", "y", "z"} {
			say("sender sends %s", v)
			ch <- v
			say("sender has sent %s", v)
		}
		wg.Done()
	}()
	runtime.Gosched()
	for range 3 {
		say("main receives")
		v := <-ch
		say("main got %s", v)
		runtime.Gosched()
		say("main has yielded")
	}
	wg.Wait()
	say("main ends")
}
