// Goroutines that start others and then block: the started one runs at once, and wakes its creator to run right after it.
package main

import "sync"

func program() {
	var wg sync.WaitGroup
	parent := func(i int) {
		ch := make(chan string)
		say("parent %d starts two", i)
		go func() {
			say("first of %d sends", i)
			ch <- "first"
			say("first of %d has sent", i)
			wg.Done()
		}()
		go func() {
			say("second of %d sends", i)
			ch <- "second"
			say("second of %d has sent", i)
			wg.Done()
		}()
		say("parent %d waits", i)
		say("parent %d got %s", i, <-ch)
		say("parent %d got %s", i, <-ch)
		wg.Done()
	}
	wg.Add(9)
	for i := range 3 {
		go parent(i)
	}
	wg.Wait()
	say("main")
}
