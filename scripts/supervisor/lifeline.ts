// Loaded into each child before its own code: when the supervisor is gone, the child ends as if it had been asked to.
// The channel to the supervisor closes with the supervisor, also after kill -9.

process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
// The channel alone keeps no process alive.
process.channel?.unref();
