// A barrier of three from a mutex and a condition, three rounds; the last to arrive goes on first.
package main

import "sync"

func program() {
	var mu sync.Mutex
	var wg sync.WaitGroup
	cond := sync.NewCond(&mu)
	arrived, generation := 0, 0
	wg.Add(3)
	for i := range 3 {
		go func() {
			for round := range 3 {
				mu.Lock()
				say("%d arrives in round %d", i, round)
				arrived++
				if arrived == 3 {
					arrived = 0
					generation++
					cond.Broadcast()
				} else {
					for mine := generation; mine == generation; {
						cond.Wait()
					}
				}
				say("%d passes round %d", i, round)
				mu.Unlock()
			}
			wg.Done()
		}()
	}
	wg.Wait()
	say("main ends")
}
