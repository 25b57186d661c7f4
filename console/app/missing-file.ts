// A file of the build that does not come: a tab may be older than the server.

import { lazyRouteComponent } from "@tanstack/react-router";

/** What browsers say when a file of a page does not come. */
const says = /dynamically imported module|importing a module script failed|unable to preload css/i;

/** A page could not be shown because a file of it did not come. */
export class MissingFile extends Error {
  override readonly name = "MissingFile";
}

/**
 * The page named `name` in what `load` finds, once it is wanted. One whose file does not come fails with `MissingFile`:
 * at the browsers' own error the router would load the page anew at once, and the browser would put a page of its own in
 * place of this one while the server is away.
 */
export function lazyPage<Pages extends Record<string, unknown>, Name extends keyof Pages>(
  load: () => Promise<Pages>,
  name: Name,
) {
  return lazyRouteComponent(async () => {
    try {
      return await load();
    } catch (cause) {
      if (cause instanceof Error && says.test(cause.message))
        throw new MissingFile("a file of the page did not come", { cause });
      throw cause;
    }
  }, name);
}

const loadedAnewKey = "policy-guard.loaded-anew-at";
const loadedAnewPauseMs = 60_000;
const answerWithinMs = 10_000;

/**
 * Loads the page anew, unless `signal` says that it is no longer wanted, and answers false where that would not mend it:
 * when the file is missed again right after, so that nobody's tab loads for ever, and while the server is away.
 */
export async function loadAnew(signal: AbortSignal): Promise<boolean> {
  const last = Number(sessionStorage.getItem(loadedAnewKey) ?? 0);
  if (Date.now() - last < loadedAnewPauseMs) return false;
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(answerWithinMs)]);
  const asked = fetch(location.href, { method: "HEAD", cache: "no-store", signal: inTime });
  const isAnswered = await asked.then(
    ({ ok }) => ok,
    () => false,
  );
  if (!isAnswered || signal.aborted) return false;
  sessionStorage.setItem(loadedAnewKey, String(Date.now()));
  location.reload();
  return true;
}
