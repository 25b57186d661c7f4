// Links from mails carry their token in the fragment, which no server and no log sees. The page takes it out of the
// address before anything else, so that neither the history nor a copied address has it.

const ofLinks = /^#(?:token|sso_code|sso|sso_error)=/;
let values = new URLSearchParams();

/** Takes the fragment out of the address, at the start of the page. */
export function takeFragment(): void {
  // Another link of the same page, opened in its place, is no new page to the browser.
  addEventListener("hashchange", () => ofLinks.test(location.hash) && location.reload());
  if (!ofLinks.test(location.hash)) return;
  values = new URLSearchParams(location.hash.slice(1));
  history.replaceState(history.state, "", location.pathname + location.search);
}

/** A value of the fragment that the page was opened with; it is gone after a reload. */
export function fragmentValue(name: "token" | "sso_code" | "sso" | "sso_error"): string | undefined {
  return values.get(name) ?? undefined;
}
