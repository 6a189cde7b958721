// Three workers, nine jobs on an unbuffered channel, results on another: who gets which job.
package main

import "sync"

func program() {
	var wg sync.WaitGroup
	jobs, results := make(chan int), make(chan int)
	wg.Add(3)
	for i := range 3 {
		go func() {
			for job := range jobs {
				say("worker %d takes %d", i, job)
				results <- job * job
				say("worker %d has done %d", i, job)
			}
			say("worker %d ends", i)
			wg.Done()
		}()
	}
	go func() {
		for job := range 9 {
			say("hands out %d", job)
			jobs <- job
		}
		close(jobs)
		say("all handed out")
		wg.Wait()
		close(results)
		say("all done")
	}()
	for result := range results {
		say("result %d", result)
	}
	say("main ends")
}
