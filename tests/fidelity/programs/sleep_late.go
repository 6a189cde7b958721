// Sleepers whose deadlines pass while another goroutine computes are readied in the order of their deadlines: the last one runs first.
package main

import (
	"runtime"
	"sync"
	"time"
)

func program() {
	var wg sync.WaitGroup
	wg.Add(4)
	for _, ms := range []int{3, 1, 4, 2} {
		go func() {
			say("sleeps %d ms", ms)
			time.Sleep(time.Duration(ms) * time.Millisecond)
			say("woke after %d ms", ms)
			wg.Done()
		}()
	}
	runtime.Gosched()
	begin := time.Now()
	for time.Since(begin) < 6*time.Millisecond {
	}
	say("main has computed")
	wg.Wait()
	say("main ends")
}
