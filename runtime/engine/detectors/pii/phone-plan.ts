// National numbers by the numbering plans of libphonenumber. Parsing costs some ten microseconds a plan, so the plans that do not have a
// number of so many digits are left out before.

import {
  type CountryCode,
  isSupportedCountry,
  Metadata,
  type PhoneNumber,
  parsePhoneNumberFromString,
} from "libphonenumber-js/max";

/** The fewest and the most digits of a national number, with its trunk prefix. */
const fewest = 7;
const most = 13;
/** Digits that are dialled before the area within some countries, and the most of them. */
const trunk = /^[018]/;
const longestTrunk = 3;

const lengths = new Map<CountryCode, ReadonlySet<number>>();

/** The supported ones of some regions (ISO 3166). */
export function supportedRegions(regions: readonly string[]): CountryCode[] {
  return regions.filter((region): region is CountryCode => isSupportedCountry(region));
}

/** The number that digits are in the first region whose plan has it, or has it and writes it in these groups. */
export function nationalNumber(
  written: string,
  digits: string,
  regions: Iterable<CountryCode>,
  { inItsGroups }: { readonly inItsGroups: boolean },
): PhoneNumber | undefined {
  if (digits.length < fewest || digits.length > most) return undefined;
  const plain = written.replace(/\(0\)/, "");
  for (const region of regions) {
    if (!hasLength(region, digits)) continue;
    const number = parsePhoneNumberFromString(plain, region);
    if (number?.isValid() !== true || !hasTrunk(digits, number)) continue;
    if (!inItsGroups || isWrittenAs(written, number.formatNational())) return number;
  }
  return undefined;
}

/** Whether digits are in the groups of a format, whatever sets the groups apart. */
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
  for (let prefix = 1; prefix <= longestTrunk; prefix++) if (possible.has(digits.length - prefix)) return true;
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

// Plans with a trunk prefix hold almost any digits: without it, only mobile numbers are written.
function hasTrunk(digits: string, number: PhoneNumber): boolean {
  return (
    digits.startsWith("0") ||
    number.formatNational().replace(/\D/g, "").length <= digits.length ||
    number.getType() === "MOBILE"
  );
}
