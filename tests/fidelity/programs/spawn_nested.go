// A tree of goroutines, three children each, three generations: who runs when.
package main

import "sync"

func program() {
	var wg sync.WaitGroup
	var node func(name string, depth int)
	node = func(name string, depth int) {
		say("%s begins", name)
		if depth > 0 {
			for _, suffix := range []string{"a", "b", "c"} {
				wg.Add(1)
				go node(name+suffix, depth-1)
			}
		}
		say("%s ends", name)
		wg.Done()
	}
	wg.Add(1)
	go node("r", 3)
	wg.Wait()
	say("main")
}
