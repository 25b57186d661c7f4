/**
 * Ends this process as if it had been asked to, once its parent is gone. The channel to a parent closes with the
 * parent, also after kill -9. For processes that were started with a channel: without one, this process ends at once.
 */
export function endWithParent(): void {
  const end = () => process.kill(process.pid, "SIGTERM");
  process.once("disconnect", end);
  // The parent may be gone before this line.
  if (!process.connected) end();
}
