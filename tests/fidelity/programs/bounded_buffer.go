// A buffer for two from a mutex and two conditions, two producers and two consumers: signals, barging and waiting again.
package main

import "sync"

func program() {
	var mu sync.Mutex
	var wg sync.WaitGroup
	notEmpty, notFull := sync.NewCond(&mu), sync.NewCond(&mu)
	items := []string{}
	wg.Add(4)
	for i := range 2 {
		go func() {
			for n := range 4 {
				mu.Lock()
				for len(items) == 2 {
					say("producer %d waits", i)
					notFull.Wait()
				}
				items = append(items, string(rune('a'+i))+string(rune('0'+n)))
				say("producer %d put %s", i, items[len(items)-1])
				notEmpty.Signal()
				mu.Unlock()
			}
			wg.Done()
		}()
		go func() {
			for range 4 {
				mu.Lock()
				for len(items) == 0 {
					say("consumer %d waits", i)
					notEmpty.Wait()
				}
				item := items[0]
				items = items[1:]
				say("consumer %d took %s", i, item)
				notFull.Signal()
				mu.Unlock()
			}
			wg.Done()
		}()
	}
	wg.Wait()
	say("main ends")
}
