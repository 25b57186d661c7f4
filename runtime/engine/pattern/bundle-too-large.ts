/** A bundle holds more than a runtime accepts. The message says of what, how much is allowed, and what to do. */
export class BundleTooLarge extends Error {
  override readonly name = "BundleTooLarge";
}
