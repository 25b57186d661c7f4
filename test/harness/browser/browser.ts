// A real browser for tests of pages: the one of the machine. Without one these tests are skipped, by name.

import { accessSync, constants, existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, chromium } from "playwright-core";

const names = ["chromium", "chromium-browser", "google-chrome"];

/**
 * What the browser goes without. The first are those that playwright-core switches off, since of two such lists
 * Chromium reads the last one. The others are of the browser's own window: its bar of addresses is a page with a process
 * of its own, and each context that a test opens has such a window, which cost half of the time of opening it.
 */
const disabledFeatures = [
  ..."AvoidUnnecessaryBeforeUnloadCheckSync DestroyProfileOnBrowserClose HttpsUpgrades".split(" "),
  ..."HttpsFirstBalancedModeAutoEnable LensOverlay MediaRouter PaintHolding ThirdPartyStoragePartitioning".split(" "),
  ..."AvoidCorsURLLoaderRestartOnRedirect OptimizationHints NetworkTimeServiceQuerying AimEnabled".split(" "),
  ..."PreconnectToSearch WebUIOmniboxPopup WebUIOmniboxFullPopup WebUIOmniboxAimPopup".split(" "),
  ..."PreloadTopChromeWebUI SpareRendererForSitePerProcess".split(" "),
];

/** The browser of this machine: CONSOLE_TEST_BROWSER, or one that is in the path; undefined where there is none. */
export const browserPath: string | undefined = findBrowser();

if (browserPath === undefined && process.env.REQUIRE_BROWSER === "1") {
  throw new Error(
    "REQUIRE_BROWSER is set and there is no browser: apt-get install chromium, or set CONSOLE_TEST_BROWSER",
  );
}

function findBrowser(): string | undefined {
  const named = process.env.CONSOLE_TEST_BROWSER;
  if (named !== undefined && named !== "") return named;
  const folders = (process.env.PATH ?? "").split(delimiter);
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find(isRunnable);
}

function isRunnable(path: string): boolean {
  if (!existsSync(path)) return false;
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Starts the browser. Chromium has no sandbox for root. Other than for people, it keeps no pages that were left for
 * whoever goes back, unless `keepsLeftPages`.
 */
export function startBrowser({ keepsLeftPages = false }: { readonly keepsLeftPages?: boolean } = {}): Promise<Browser> {
  return chromium.launch({
    ...(browserPath === undefined ? {} : { executablePath: browserPath }),
    ...(keepsLeftPages ? { ignoreDefaultArgs: ["--disable-back-forward-cache"] } : {}),
    args: [`--disable-features=${disabledFeatures.join(",")}`, ...(process.getuid?.() === 0 ? ["--no-sandbox"] : [])],
  });
}
