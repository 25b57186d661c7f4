// What the operator of a runtime says about it. The bounds are those of the reporting stream, so that a runtime whose
// labels the control plane would refuse does not start.

const maxLabels = 16;
const maxValueLength = 63;
const keyPattern = /^[a-z0-9][a-z0-9._/-]{0,62}$/;
const valuePattern = /^[^\p{Cc}]*$/u;

/** Reads labels of the form key=value. Throws for one that is not, or is too long, and for a key that comes twice. */
export function readLabels(texts: readonly string[] = []): { [key: string]: string } {
  if (texts.length > maxLabels) throw new Error(`RUNTIME_LABELS has ${texts.length} labels; at most ${maxLabels}`);
  const labels = new Map<string, string>();
  for (const text of texts) {
    const end = text.indexOf("=");
    const [key, value] = [text.slice(0, Math.max(end, 0)), text.slice(end + 1)];
    if (!keyPattern.test(key) || !valuePattern.test(value) || [...value].length > maxValueLength) {
      throw new Error(`RUNTIME_LABELS: "${text}" is not key=value of the allowed characters and length`);
    }
    if (labels.has(key)) throw new Error(`RUNTIME_LABELS names ${key} twice`);
    labels.set(key, value);
  }
  return Object.fromEntries(labels);
}
