// Goexit runs what was deferred, innermost first, and ends one goroutine only.
package main

import (
	"runtime"
	"sync"
)

func program() {
	var wg sync.WaitGroup
	inner := func(i int) {
		defer func() {
			say("%d inner deferred", i)
			runtime.Gosched()
			say("%d inner deferred, after a yield", i)
		}()
		say("%d exits", i)
		runtime.Goexit()
	}
	outer := func(i int) {
		defer wg.Done()
		defer func() { say("%d outer deferred", i) }()
		inner(i)
		say("never said")
	}
	wg.Add(3)
	for i := range 3 {
		go outer(i)
	}
	wg.Wait()
	say("main")
}
