// A producer and a consumer with a buffer for two: every event, and the length of the buffer.
package main

import (
	"runtime"
	"sync"
)

func program() {
	var wg sync.WaitGroup
	ch := make(chan int, 2)
	wg.Add(2)
	go func() {
		for i := range 9 {
			say("puts %d, %d there", i, len(ch))
			ch <- i
			say("has put %d, %d there", i, len(ch))
		}
		close(ch)
		say("producer ends")
		wg.Done()
	}()
	go func() {
		for v := range ch {
			say("took %d, %d there", v, len(ch))
			if v%3 == 2 {
				runtime.Gosched()
			}
		}
		say("consumer ends")
		wg.Done()
	}()
	wg.Wait()
	say("main ends")
}
