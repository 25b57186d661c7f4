// Light, dark, or what the system says. The choice is the only thing that outlives a session in this browser.

/** The choices. */
export const themes = ["system", "light", "dark"] as const;
/** One of them. */
export type Theme = (typeof themes)[number];

const key = "policy-guard.theme";

/** The stored choice. */
export function storedTheme(): Theme {
  return themes.find((theme) => theme === localStorage.getItem(key)) ?? "system";
}

const systemDark = matchMedia("(prefers-color-scheme: dark)");

/** What is shown for a choice. */
export function shownTheme(theme: Theme): "light" | "dark" {
  if (theme !== "system") return theme;
  return systemDark.matches ? "dark" : "light";
}

/** Calls back when the system changes between light and dark. Returns what ends it. */
export function whenSystemChanges(listener: () => void): () => void {
  systemDark.addEventListener("change", listener);
  return () => systemDark.removeEventListener("change", listener);
}

const listeners = new Set<() => void>();

/** Calls back when something else is chosen. Returns what ends it. */
export function whenThemeChanges(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Shows and stores a choice. */
export function applyTheme(theme: Theme): void {
  if (theme === "system") {
    localStorage.removeItem(key);
    delete document.documentElement.dataset.theme;
  } else {
    localStorage.setItem(key, theme);
    document.documentElement.dataset.theme = theme;
  }
  for (const listener of listeners) listener();
}
