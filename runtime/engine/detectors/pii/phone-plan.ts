// National numbers by the numbering plans of libphonenumber. Parsing takes about ten microseconds per plan, so plans
// without numbers of this length are skipped.

import {
  type CountryCode,
  isSupportedCountry,
  Metadata,
  type PhoneNumber,
  parsePhoneNumberFromString,
} from "libphonenumber-js/max";

/** Minimum and maximum digits of a national number, including its trunk prefix. */
const minDigits = 7;
const maxDigits = 13;
/** Trunk prefixes of some countries, which are dialled before the area code, and their maximum length. */
const trunk = /^[018]/;
const maxTrunkLength = 3;

const lengths = new Map<CountryCode, ReadonlySet<number>>();

/** The supported regions among the given ones (ISO 3166). */
export function supportedRegions(regions: readonly string[]): CountryCode[] {
  return regions.filter((region): region is CountryCode => isSupportedCountry(region));
}

/** The number for digits in the first region whose plan contains it, or contains it and writes it in these groups. */
export function nationalNumber(
  written: string,
  digits: string,
  regions: Iterable<CountryCode>,
  { inItsGroups }: { readonly inItsGroups: boolean },
): PhoneNumber | undefined {
  if (digits.length < minDigits || digits.length > maxDigits) return undefined;
  const plain = written.replace(/\(0\)/, "");
  for (const region of regions) {
    if (!hasLength(region, digits)) continue;
    const number = parsePhoneNumberFromString(plain, region);
    if (number?.isValid() !== true || !hasTrunk(digits, number)) continue;
    if (!inItsGroups || isWrittenAs(written, number.formatNational())) return number;
  }
  return undefined;
}

/** Whether digits are in the groups of a format, whatever the separators. */
export function isWrittenAs(written: string, format: string): boolean {
  return groupsOf(written) === groupsOf(format);
}

function groupsOf(written: string): string {
  return written.match(/\d+/g)?.join(" ") ?? "";
}

function hasLength(region: CountryCode, digits: string): boolean {
  const possible = lengthsOf(region);
  if (possible.has(digits.length)) return true;
  if (!trunk.test(digits)) return false;
  for (let prefix = 1; prefix <= maxTrunkLength; prefix++) if (possible.has(digits.length - prefix)) return true;
  return false;
}

function lengthsOf(region: CountryCode): ReadonlySet<number> {
  const known = lengths.get(region);
  if (known !== undefined) return known;
  const metadata = new Metadata();
  metadata.selectNumberingPlan(region);
  const found = new Set(metadata.numberingPlan?.possibleLengths() ?? []);
  lengths.set(region, found);
  return found;
}

// Plans with a trunk prefix contain almost any digits: without the prefix, only mobile numbers are written.
function hasTrunk(digits: string, number: PhoneNumber): boolean {
  return (
    digits.startsWith("0") ||
    number.formatNational().replace(/\D/g, "").length <= digits.length ||
    number.getType() === "MOBILE"
  );
}
