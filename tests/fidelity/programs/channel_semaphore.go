// A buffered channel as a semaphore for two, five workers that yield inside.
package main

import (
	"runtime"
	"sync"
)

func program() {
	var wg sync.WaitGroup
	sem := make(chan struct{}, 2)
	wg.Add(5)
	for i := range 5 {
		go func() {
			say("%d wants in", i)
			sem <- struct{}{}
			say("%d is in", i)
			runtime.Gosched()
			say("%d leaves", i)
			<-sem
			say("%d is out", i)
			wg.Done()
		}()
	}
	wg.Wait()
	say("main ends")
}
