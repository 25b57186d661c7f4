import "./style/base.css";
import "./style/tokens.css";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { MissingFile } from "./app/missing-file.ts";
import { keepPresses } from "./app/press.ts";
import { Providers } from "./app/providers.tsx";
import { router } from "./app/router.tsx";
import "./part/appearance.ts";
import { takeFragment } from "./data/fragment.ts";

takeFragment();
keepPresses();

const root = document.getElementById("root");
if (root === null) throw new Error("the document has no #root");
// The page says itself that a file is missing; every other error that it catches is of interest to whoever debugs it.
const onCaughtError = (error: unknown) => {
  if (!(error instanceof MissingFile)) console.error(error);
};
createRoot(root, { onCaughtError }).render(
  <StrictMode>
    <Providers>
      <RouterProvider router={router} />
    </Providers>
  </StrictMode>,
);
