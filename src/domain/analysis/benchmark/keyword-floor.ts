// The floor of keywords: what a filter of a few words would find. A guard that is no better is not worth its cost.

const words =
  /\b(?:ignore|disregard|forget|override|bypass)\b.{0,40}\b(?:instructions?|rules?|prompts?|guidelines?)\b|\bsystem prompt\b|\bjailbreak|\bdeveloper mode\b|\bdo anything now\b|\bpassword|\bcredit card\b|\bkill\b|\bbomb\b|\bhack/i;

/** Whether a text has one of the words. */
export function hasKeyword(text: string): boolean {
  return words.test(text);
}
