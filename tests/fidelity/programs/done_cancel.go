// A done channel ends three workers that select on it; each clears up and reports.
package main

import (
	"runtime"
	"sync"
)

func program() {
	var wg sync.WaitGroup
	done, jobs := make(chan struct{}), make(chan int)
	wg.Add(3)
	for i := range 3 {
		go func() {
			handled := 0
			for running := true; running; {
				say("worker %d waits", i)
				select {
				case job := <-jobs:
					handled++
					say("worker %d handles %d", i, job)
				case <-done:
					running = false
				}
			}
			say("worker %d ends after %d", i, handled)
			wg.Done()
		}()
	}
	for job := range 7 {
		jobs <- job
		say("main has sent %d", job)
	}
	runtime.Gosched()
	close(done)
	say("main has closed")
	wg.Wait()
	say("main ends")
}
