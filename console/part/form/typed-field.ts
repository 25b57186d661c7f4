// The fields of a form as people type into them.

/** What is typed, by the names of fields; of a box, whether it is ticked. */
export type Values = Readonly<Record<string, string | boolean>>;

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/** The field that something is; undefined for what is none. */
export function fieldOf(target: unknown): Field | undefined {
  return [HTMLInputElement, HTMLTextAreaElement, HTMLSelectElement].some((kind) => target instanceof kind)
    ? (target as Field) // one of the three, as was just asked
    : undefined;
}

/** What a field holds. */
export function typedIn(field: Field): string | boolean {
  return isBox(field) ? field.checked : field.value;
}

/** Does what a person does who types the value, so that a page that follows the field hears of it. */
export function fill(target: unknown, value: string | boolean): void {
  const field = fieldOf(target);
  if (field === undefined || typedIn(field) === value) return;
  if (isBox(field)) {
    field.click();
    return;
  }
  field.value = String(value);
  field.dispatchEvent(new Event(field instanceof HTMLSelectElement ? "change" : "input", { bubbles: true }));
}

function isBox(field: Field): field is HTMLInputElement {
  return field instanceof HTMLInputElement && field.type === "checkbox";
}
