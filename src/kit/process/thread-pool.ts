// Imported first by processes that look names up for others: Node's look-ups wait in a pool of four threads, where four
// names whose servers are silent would hold up every other one. The pool is made at its first use, so it is not too
// late here.

process.env.UV_THREADPOOL_SIZE ??= "64";
