// Gosched mixed with spawns: what is local runs before what has yielded.
package main

import (
	"runtime"
	"sync"
)

func program() {
	var wg sync.WaitGroup
	child := func(name string) {
		say("%s begins", name)
		runtime.Gosched()
		say("%s ends", name)
		wg.Done()
	}
	parent := func(name string) {
		say("%s begins", name)
		wg.Add(2)
		go child(name + ".1")
		go child(name + ".2")
		say("%s yields", name)
		runtime.Gosched()
		say("%s again", name)
		wg.Add(1)
		go child(name + ".3")
		runtime.Gosched()
		say("%s ends", name)
		wg.Done()
	}
	wg.Add(3)
	go parent("a")
	go parent("b")
	runtime.Gosched()
	say("main")
	go parent("c")
	runtime.Gosched()
	say("main waits")
	wg.Wait()
	say("main ends")
}
