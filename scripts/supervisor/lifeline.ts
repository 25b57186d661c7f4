// Loaded into each child before its own code: when the supervisor is gone, the child ends as if it had been asked to.
// The channel to the supervisor closes with the supervisor, also after kill -9.

const end = () => process.kill(process.pid, "SIGTERM");
process.once("disconnect", end);
// It may have gone before this line. In a thread, where this is loaded as well, there never was a channel, and this is undefined.
if (process.connected === false) end();
// The channel alone keeps no process alive.
process.channel?.unref();
