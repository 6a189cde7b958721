// Goroutines started in a row: the newest first, then the others in the order of their start.
package main

import "sync"

func program() {
	var wg sync.WaitGroup
	for _, n := range []int{3, 6, 2} {
		say("start %d", n)
		wg.Add(n)
		for i := range n {
			go func() {
				say("%d of %d", i, n)
				wg.Done()
			}()
		}
		wg.Wait()
	}
}
