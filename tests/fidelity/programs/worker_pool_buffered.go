// Four workers behind a buffer of three, each job a yield long.
package main

import (
	"runtime"
	"sync"
)

func program() {
	var wg sync.WaitGroup
	jobs := make(chan int, 3)
	wg.Add(4)
	for i := range 4 {
		go func() {
			for job := range jobs {
				say("worker %d takes %d", i, job)
				runtime.Gosched()
				say("worker %d has done %d", i, job)
			}
			say("worker %d ends", i)
			wg.Done()
		}()
	}
	for job := range 14 {
		jobs <- job
		say("main has queued %d, %d in the buffer", job, len(jobs))
	}
	close(jobs)
	wg.Wait()
	say("main ends")
}
