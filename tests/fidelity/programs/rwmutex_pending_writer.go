// A writer that waits for readers keeps new readers out, and they come in together when it is done.
package main

import (
	"runtime"
	"sync"
)

func program() {
	var rw sync.RWMutex
	var wg sync.WaitGroup
	rw.RLock()
	rw.RLock()
	say("main reads twice")
	wg.Add(4)
	go func() {
		say("writer wants it")
		rw.Lock()
		say("writer writes")
		rw.Unlock()
		say("writer has left it")
		wg.Done()
	}()
	runtime.Gosched()
	for i := range 3 {
		go func() {
			say("reader %d wants it, try: %t", i, rw.TryRLock())
			rw.RLock()
			say("reader %d reads", i)
			rw.RUnlock()
			wg.Done()
		}()
	}
	runtime.Gosched()
	say("main leaves once")
	rw.RUnlock()
	runtime.Gosched()
	say("main leaves again")
	rw.RUnlock()
	say("main goes on")
	wg.Wait()
	say("free: %t %t %t", rw.TryRLock(), rw.TryRLock(), rw.TryLock())
}
