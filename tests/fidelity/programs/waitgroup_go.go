// WaitGroup.Go, nested: the order is that of plain go.
package main

import "sync"

func program() {
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			say("%d begins", i)
			var inner sync.WaitGroup
			for j := range 3 {
				inner.Go(func() {
					say("%d.%d", i, j)
				})
			}
			say("%d waits", i)
			inner.Wait()
			say("%d ends", i)
		})
	}
	say("main waits")
	wg.Wait()
	say("main ends")
}
