// A file of the build that does not come: a tab may be older than the server.

/** What browsers say when a file of a page does not come. */
const says = /dynamically imported module|importing a module script failed|unable to preload css/i;

/** Whether a page could not be shown because a file of it did not come. */
export function isMissingFile(error: unknown): boolean {
  return error instanceof Error && says.test(error.message);
}

/** Files that are loading and that the page does without. */
let dispensable = 0;

/** Loads what the page does without, so that it is not loaded anew for it. */
export async function withoutReload<Loaded>(load: () => Promise<Loaded>): Promise<Loaded> {
  dispensable += 1;
  try {
    return await load();
  } finally {
    dispensable -= 1;
  }
}

/** Whether a file that is missed now may be one that the page does without. */
export function isDispensable(): boolean {
  return dispensable > 0;
}
