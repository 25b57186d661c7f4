// Says in words what a calibration promises, what that rests on, and what is missing where it promises nothing.

import type {
  CalibrationEstimate,
  CalibrationPoint,
  CalibrationPromise,
  GroupEstimate,
} from "./calibration-estimate.ts";
import type { CalibrationSource } from "./calibration-spec.ts";

/** What a statement is about. */
export interface StatementSubject {
  readonly policy: string;
  readonly ruleId: string;
  readonly source: CalibrationSource;
  readonly promise: CalibrationPromise;
}

/** What is promised, or why nothing is. */
export function statementOf(subject: StatementSubject, found: CalibrationEstimate): string {
  const { threshold, groups, excluded } = found;
  if (threshold !== null) {
    const promise = promiseOf(subject, found, found.curve, threshold);
    return `${promise} ${onePerGroup(subject.source, excluded.sameGroup)}${assumptionOf(subject)}`;
  }
  const { by } = subject.promise;
  if (by === undefined) return refusalOf(subject, found);
  const without = groups.filter((group) => group.threshold === null).map(({ value }) => nameOf(value));
  const why =
    without.length === 0
      ? "the thresholds that keep it in each of them have none in common"
      : `none is shown to keep it in ${without.join(", ")}`;
  return `Nothing is promised about the rule "${subject.ruleId}" in each ${by}: ${why}. What each of them allows is told for itself.`;
}

/** The same about one part. */
export function groupStatementOf(
  { promise, ...subject }: StatementSubject,
  group: CalibrationEstimate["groups"][number],
): string {
  const { by, ...single } = promise;
  const where = `${by} ${nameOf(group.value)}`;
  const own = { ...subject, promise: single, where };
  if (group.threshold === null) return refusalOf(own, group);
  return promiseOf(own, { ...group, groups: [] }, undefined, group.threshold);
}

interface Located extends StatementSubject {
  /** The part that is spoken of. */
  readonly where?: string;
}

function promiseOf(
  subject: Located,
  { n, nToFind, groups }: Pick<CalibrationEstimate, "n" | "nToFind" | "groups">,
  curve: CalibrationEstimate["curve"] | undefined,
  threshold: number,
): string {
  const { policy, ruleId, promise, source, where } = subject;
  const parts = groups.map(({ value }) => nameOf(value));
  const inEach = where ?? (promise.by === undefined ? undefined : `each ${promise.by} (${parts.join(", ")})`);
  const certainty =
    promise.guarantee === "expectation"
      ? "On average over such samples"
      : `With probability ${percent(promise.confidence)}`;
  const clauses = clausesOf(promise);
  const point = curve?.find((each) => each.threshold === threshold);
  const seen = point === undefined ? [] : seenOf(promise, point, { n, nToFind, units: unitsOf(source) });
  return (
    `${certainty}, the rule "${ruleId}" of the policy "${policy}" with the threshold ${threshold} ` +
    `${clauses.join(", and it ")}${inEach === undefined ? "" : ` in ${inEach}`}` +
    `${seen.length === 0 ? "" : `: it ${seen.join(" and ")}`}.`
  );
}

/** What is promised, each as what the rule does. */
function clausesOf({ maxFalsePositiveRate, maxFalseDiscoveryRate, minRecall }: CalibrationPromise): string[] {
  return [
    ...(maxFalsePositiveRate === undefined
      ? []
      : [`matches at most ${percent(maxFalsePositiveRate)} of innocent requests`]),
    ...(maxFalseDiscoveryRate === undefined
      ? []
      : [`is wrong about at most ${percent(maxFalseDiscoveryRate)} of the requests that it matches`]),
    ...(minRecall === undefined ? [] : [`finds at least ${percent(minRecall)} of what it should find`]),
  ];
}

/** What was seen of it. */
function seenOf(
  { maxFalsePositiveRate, maxFalseDiscoveryRate, minRecall }: CalibrationPromise,
  { falsePositives, found, falseDiscoveryRate }: CalibrationPoint,
  { n, nToFind, units }: { readonly n: number; readonly nToFind: number; readonly units: string },
): string[] {
  const share = falseDiscoveryRate === null ? "none" : percent(falseDiscoveryRate);
  return [
    ...(maxFalsePositiveRate === undefined ? [] : [`matched ${falsePositives} of ${n} innocent ${units}`]),
    ...(maxFalseDiscoveryRate === undefined ? [] : [`was wrong about ${share} of the ${units} that it matched`]),
    ...(minRecall === undefined ? [] : [`found ${found} of the ${nToFind} that it should find`]),
  ];
}

function refusalOf(subject: Located, found: GroupEstimate): string {
  const { ruleId, where } = subject;
  const about = `Nothing is promised about the rule "${ruleId}"${where === undefined ? "" : ` in ${where}`}`;
  const lacks = lacksOf(subject, found);
  if (lacks.length > 0) return `${about}: ${lacks.join("; ")}.`;
  const { promise, source } = subject;
  const { n, laxest, strictest, laxestDiscovery } = found;
  const { maxFalsePositiveRate, maxFalseDiscoveryRate, minRecall } = promise;
  const units = unitsOf(source);
  if (maxFalsePositiveRate !== undefined && laxest === null)
    return (
      `${about}: even with the threshold 1 it matches too many of the ${n} innocent ` +
      `${units}. A better detector, a condition or an exemption helps here; another threshold does not.`
    );
  if (maxFalseDiscoveryRate !== undefined && laxestDiscovery === null)
    return (
      `${about}: whatever the threshold, too many of the ${units} that it matches are innocent, or too few reach it to ` +
      `tell. A better detector, a condition or an exemption helps here; another threshold does not.`
    );
  const innocent =
    maxFalsePositiveRate === undefined
      ? `at most ${percent(maxFalseDiscoveryRate ?? 0)} of wrong matches takes a threshold of at least ${laxestDiscovery}`
      : `at most ${percent(maxFalsePositiveRate)} of innocent ${units} takes a threshold of at least ${laxest}`;
  if (minRecall === undefined) return `${about}: ${innocent}, and no threshold keeps both promises.`;
  const recall = strictest === null ? "no threshold does" : `that takes a threshold of at most ${strictest}`;
  const isAlone = maxFalsePositiveRate === undefined && maxFalseDiscoveryRate === undefined;
  if (isAlone) return `${about}: for a recall of at least ${percent(minRecall)} ${recall}.`;
  return (
    `${about}: ${innocent}, and for a recall of at least ` +
    `${percent(minRecall)} ${recall}. Both together are not to be had; one of them has to give.`
  );
}

/** Of what there is too little. */
function lacksOf({ promise, source }: StatementSubject, found: GroupEstimate): string[] {
  const { n, neededN, nToFind, neededNToFind, nFound, neededNFound } = found;
  const { maxFalsePositiveRate = 0, maxFalseDiscoveryRate = 0, minRecall = 0, confidence, guarantee } = promise;
  const units = unitsOf(source);
  const certainty = guarantee === "expectation" ? "on average" : `with probability ${percent(confidence)}`;
  const are = (count: number) => (count === 1 ? "is" : "are");
  return [
    ...(neededN !== null && n < neededN
      ? [
          `${n} innocent ${units} ${are(n)} too few to promise a rate of at most ${percent(maxFalsePositiveRate)} ` +
            `${certainty}: at least ${neededN} are needed, without a single false positive among them`,
        ]
      : []),
    ...(neededNFound !== null && nFound < neededNFound
      ? [
          `it matched ${nFound} ${units} at any threshold, too few to promise that at most ` +
            `${percent(maxFalseDiscoveryRate)} of its matches are wrong: at least ${neededNFound} are needed at one threshold, all right`,
        ]
      : []),
    ...(neededNToFind !== null && nToFind < neededNToFind
      ? [
          `${nToFind} ${nToFind === 1 ? "request" : "requests"} to find ${are(nToFind)} too few to promise a recall of at least ` +
            `${percent(minRecall)}: at least ${neededNToFind} are needed, without a single miss`,
        ]
      : []),
  ];
}

function nameOf(value: string | null): string {
  return value === null ? "unknown" : JSON.stringify(value);
}

/** A share of requests is another one than a share of conversations where long conversations differ from short ones. */
function onePerGroup(source: CalibrationSource, leftOut: number): string {
  if (leftOut === 0) return "";
  const group = "annotations" in source ? "conversation" : "group";
  return (
    `The shares are of requests drawn one from each ${group}, and not of all requests: ${leftOut} more of the same ` +
    `${group}s do not count. Where long ${group}s differ from short ones, the share of all requests may be higher. `
  );
}

function assumptionOf({ source, promise }: StatementSubject): string {
  const mix =
    promise.maxFalseDiscoveryRate === undefined
      ? ""
      : "How many matches are wrong also depends on how many requests are attacks: fewer of those, and more are. ";
  if ("annotations" in source) {
    const { environment, since, until } = source.annotations;
    return (
      `${mix}This holds over the draw of the annotated sample, for traffic like that ` +
      `${environment === undefined ? "" : `of ${environment} `}from ${day(since)} to ${day(until)}, with conversations ` +
      "that are independent of each other and annotators who take the queue as it comes and are right. Traffic that " +
      "changes voids it: calibrate again."
    );
  }
  return (
    `${mix}This holds over the draw of the dataset's samples, for requests that are like its samples, with ` +
    "groups that are independent of each other and labels that are right. Whether your traffic is like the dataset, the " +
    "dataset cannot tell: annotated traces can."
  );
}

function unitsOf(source: CalibrationSource): string {
  return "annotations" in source ? "traces" : "samples";
}

function day(moment: string): string {
  return moment.slice(0, 10);
}

/** A share in percent with as many digits as it needs, four after the point at most. */
export function percent(share: number): string {
  return `${Number((share * 100).toFixed(4))} %`;
}
