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

/** Shows and stores a choice. */
export function applyTheme(theme: Theme): void {
  if (theme === "system") {
    localStorage.removeItem(key);
    delete document.documentElement.dataset.theme;
    return;
  }
  localStorage.setItem(key, theme);
  document.documentElement.dataset.theme = theme;
}
