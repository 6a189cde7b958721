// Three producers into one unbuffered channel, one consumer: the order in which they get through.
package main

import "sync"

func program() {
	var wg sync.WaitGroup
	ch := make(chan string)
	wg.Add(3)
	for _, name := range []string{"a", "b", "c"} {
		go func() {
			for range 4 {
				say("%s sends", name)
				ch <- name
			}
			say("%s ends", name)
			wg.Done()
		}()
	}
	go func() {
		wg.Wait()
		close(ch)
		say("closed")
	}()
	for v := range ch {
		say("main got %s", v)
	}
	say("main ends")
}
