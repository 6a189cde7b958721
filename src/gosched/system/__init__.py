"""The edge: threads, clock, poller, cgroups. What core asks for by the Host protocol, done with the real machine."""
