import { useEffect } from "react";
import { en } from "../text/en.ts";

/** Names the browser's tab. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${en.product}`;
  }, [title]);
}
