import "./style/base.css";
import "./style/tokens.css";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { isDispensable, isMissingFile } from "./app/missing-file.ts";
import { keepPresses } from "./app/press.ts";
import { Providers } from "./app/providers.tsx";
import { router } from "./app/router.tsx";
import "./part/appearance.ts";
import { takeFragment } from "./data/fragment.ts";

takeFragment();
keepPresses();

// A tab that is older than the server misses a file of its build. Drafts survive the reload. A file that is missed
// again right after it is told as a failure, so that nobody's tab reloads for ever.
const reloadKey = "policy-guard.reloaded-at";
const reloadPauseMs = 60_000;
addEventListener("vite:preloadError", () => {
  const last = Number(sessionStorage.getItem(reloadKey) ?? 0);
  if (!isDispensable() && Date.now() - last >= reloadPauseMs) void loadAnew();
});

async function loadAnew(): Promise<void> {
  const { href } = location;
  // While the server does not answer, the browser would put its own page in place of this one and of what is typed there.
  const asked = fetch(href, { method: "HEAD", cache: "no-store" });
  const isAnswered = await asked.then(
    ({ ok }) => ok,
    () => false,
  );
  // Whoever has gone on meanwhile is on a page that has its files.
  if (!isAnswered || location.href !== href) return;
  sessionStorage.setItem(reloadKey, String(Date.now()));
  location.reload();
}

const root = document.getElementById("root");
if (root === null) throw new Error("the document has no #root");
// The page says itself that a file is missing; every other error that it catches is of interest to whoever debugs it.
const onCaughtError = (error: unknown) => {
  if (!isMissingFile(error)) console.error(error);
};
createRoot(root, { onCaughtError }).render(
  <StrictMode>
    <Providers>
      <RouterProvider router={router} />
    </Providers>
  </StrictMode>,
);
