// Letters that look like Latin ones: a compact choice from UTS #39 (https://www.unicode.org/reports/tr39/), lower case.
// Full-width, mathematical and enclosed letters are not listed, since NFKC turns them into Latin ones.

/**
 * Look-alikes from other scripts. They count as Latin only beside Latin letters, so that Russian or Greek words are
 * left alone.
 */
export const foreignLookalikes: ReadonlyMap<string, string> = pairs(
  // Cyrillic
  "а a в b с c ԁ d е e ф f ԍ g һ h н h і i ї i ј j к k ӏ l м m п n о o р p ԛ q ѕ s т t ս u ѵ v ԝ w х x у y ү y є e",
  // Greek
  "α a β b ϲ c ε e η n ι i ϳ j κ k μ m ν v ο o ρ p τ t υ u χ x γ y ω w ζ z σ o",
  // Armenian
  "օ o հ h յ j ց g զ q ո n",
  // Cherokee, whose letters fold to its small ones
  "ꭰ d ꭱ r ꭲ t ꭺ a ꭻ j ꮃ w ꮇ m ꮋ h ꭼ e ꮓ z ꮢ r ꮥ s ꮩ v ꮮ l ꮯ c ꮲ p ꮶ k ꮐ g ᏼ b",
  // Turkish dotless i is an ordinary letter too, so it is not listed below
  "ı i",
);

/** Phonetic letters and small capitals. No orthography writes whole words with them, so they always count as Latin. */
export const latinLookalikes: ReadonlyMap<string, string> = pairs(
  "ɑ a ᴀ a ʙ b ɓ b ƅ b ᴄ c ᴅ d ɗ d ᴇ e ꜰ f ɡ g ɢ g ʜ h ɦ h ɪ i ɩ i ᴊ j ᴋ k ƙ k ʟ l ƚ l ᴍ m ɴ n ɲ n ᴏ o ᴘ p ʀ r ɾ r ꜱ s ʂ s ᴛ t ƭ t ᴜ u ʋ u ᴠ v ᴡ w ʏ y ᴢ z ʐ z",
);

/**
 * Look-alikes of a letter in its other case, or in a third script: a capital eta looks like H, a small one like n. They
 * count only beside letters of the imitated script, like `foreignLookalikes`.
 */
export const secondLookalikes: ReadonlyMap<string, string> = pairs("η h ν n υ y π n φ f γ г λ л ꮪ s");

/** Marks that keyboards and word processors use for one another. */
export const markVariants: ReadonlyMap<string, string> = new Map([
  ...[..."`‘’‚‛′ʹʻʼʽˈ՚׳‹›"].map((mark): [string, string] => [mark, "'"]),
  ...[..."“”„‟″〝〞〟«»״"].map((mark): [string, string] => [mark, '"']),
  ...[..."‐‑‒–—―−⁃־᠆﹘"].map((mark): [string, string] => [mark, "-"]),
]);

/** Letters that keyboards of two languages write with two characters: Arabic and Persian yeh and kaf. */
export const keyboardVariants: ReadonlyMap<string, string> = pairs("ی ي ک ك");

/** The letter that counts as "ss". */
export const sharpS = 0xdf;

function pairs(...lists: readonly string[]): ReadonlyMap<string, string> {
  const map = new Map<string, string>();
  for (const list of lists) {
    const items = list.split(" ");
    for (let i = 0; i + 1 < items.length; i += 2) map.set(items[i] ?? "", items[i + 1] ?? "");
  }
  return map;
}
