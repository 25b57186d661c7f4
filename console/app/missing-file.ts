/** What browsers say when a file of a page does not come. */
const says = /dynamically imported module|importing a module script failed|unable to preload css/i;

/** Whether a page could not be shown because a file of it did not come. */
export function isMissingFile(error: unknown): boolean {
  return error instanceof Error && says.test(error.message);
}
