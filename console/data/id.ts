/** Whether a text has the form of an id; the server refuses to look for anything else. */
export function isId(text: string): boolean {
  return /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i.test(text);
}
