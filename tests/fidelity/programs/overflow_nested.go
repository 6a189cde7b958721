// Each of 20 goroutines starts 20: the ring overflows in the middle of a turn.
package main

import "sync"

func program() {
	var wg sync.WaitGroup
	wg.Add(20 * 21)
	for i := range 20 {
		go func() {
			say("%d", i)
			for j := range 20 {
				go func() {
					say("%d.%d", i, j)
					wg.Done()
				}()
			}
			wg.Done()
		}()
	}
	wg.Wait()
	say("main")
}
