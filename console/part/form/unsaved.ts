// What was typed into a form and is kept nowhere else. While there is any, the browser asks before the document is left,
// the console before another page takes the place of this one, and the page is not loaded anew by itself.

import { useEffect, useState } from "react";

const forms = new Set<object>();
/** Forms that are being sent. */
let sending = 0;

/** Whether something is typed, in a form that is shown, that would be lost with the page. */
export function hasUnsaved(): boolean {
  return forms.size > 0;
}

/** Whether leaving the page now would lose something; a deed may leave it by itself. */
export function losesUnsaved(): boolean {
  return hasUnsaved() && sending === 0;
}

/** For whoever has decided that it may be lost. */
export function forgetUnsaved(): void {
  for (const form of forms) unmark(form);
}

/** For a form: `typed` when something is, and `send` around the deed that takes it to the server. */
export function useUnsaved(): {
  readonly typed: () => void;
  readonly send: (deed: () => Promise<void>) => Promise<void>;
} {
  const [form] = useState(() => ({}));
  useEffect(() => () => unmark(form), [form]);
  const typed = () => mark(form);
  const send = async (deed: () => Promise<void>) => {
    sending += 1;
    try {
      await deed();
      unmark(form);
    } finally {
      sending -= 1;
    }
  };
  return { typed, send };
}

/** For what is no form: an edit while it lasts, or what can be seen only once. Returns what ends it at once. */
export function useUnsavedWhile(isUnsaved: boolean): () => void {
  const [edit] = useState(() => ({}));
  useEffect(() => {
    if (!isUnsaved) return;
    mark(edit);
    return () => unmark(edit);
  }, [edit, isUnsaved]);
  return () => unmark(edit);
}

function mark(form: object): void {
  if (forms.size === 0) addEventListener("beforeunload", ask);
  forms.add(form);
}

function unmark(form: object): void {
  forms.delete(form);
  // Browsers keep no page for going back that listens to this.
  if (forms.size === 0) removeEventListener("beforeunload", ask);
}

function ask(event: BeforeUnloadEvent): void {
  // Whoever signed out has left already.
  if (losesUnsaved() && !document.documentElement.hidden) event.preventDefault();
}
