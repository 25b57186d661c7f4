import "./style/base.css";
import "./style/tokens.css";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Providers } from "./app/providers.tsx";
import { router } from "./app/router.tsx";
import { applyTheme, storedTheme } from "./app/theme.ts";
import { takeFragment } from "./data/fragment.ts";

takeFragment();
applyTheme(storedTheme());

// A tab that is older than the server misses a file of its build. Drafts survive the reload.
addEventListener("vite:preloadError", () => location.reload());

const root = document.getElementById("root");
if (root === null) throw new Error("the document has no #root");
createRoot(root).render(
  <StrictMode>
    <Providers>
      <RouterProvider router={router} />
    </Providers>
  </StrictMode>,
);
