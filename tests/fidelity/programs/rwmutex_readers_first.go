// A writer's unlock lets all queued readers in before the next writer.
package main

import (
	"runtime"
	"sync"
)

func program() {
	var rw sync.RWMutex
	var wg sync.WaitGroup
	rw.Lock()
	reader := func(i int) {
		say("reader %d wants it", i)
		rw.RLock()
		say("reader %d reads", i)
		runtime.Gosched()
		say("reader %d leaves", i)
		rw.RUnlock()
		wg.Done()
	}
	writer := func(i int) {
		say("writer %d wants it", i)
		rw.Lock()
		say("writer %d writes", i)
		runtime.Gosched()
		say("writer %d leaves", i)
		rw.Unlock()
		wg.Done()
	}
	wg.Add(6)
	go reader(0)
	go writer(0)
	go reader(1)
	go writer(1)
	go reader(2)
	go reader(3)
	runtime.Gosched()
	say("main unlocks")
	rw.Unlock()
	say("main goes on")
	wg.Wait()
	say("main ends")
}
