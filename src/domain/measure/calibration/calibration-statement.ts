// Says in words what a calibration promises, what that rests on, and what is missing where it promises nothing.

import type { CalibrationEstimate, CalibrationPromise } from "./calibration-estimate.ts";
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
  return found.threshold === null ? refusalOf(subject, found) : promiseOf(subject, found, found.threshold);
}

function promiseOf(subject: StatementSubject, { curve, n, nToFind }: CalibrationEstimate, threshold: number): string {
  const { policy, ruleId, promise } = subject;
  const point = curve.find((each) => each.threshold === threshold);
  const { falsePositives = 0, found = 0 } = point ?? {};
  const recall =
    promise.minRecall === undefined
      ? ""
      : `, and it finds at least ${percent(promise.minRecall)} of what it should find`;
  const seen = promise.minRecall === undefined ? "" : ` and found ${found} of the ${nToFind} that it should find`;
  return (
    `With probability ${percent(promise.confidence)}, the rule "${ruleId}" of the policy "${policy}" with the threshold ` +
    `${threshold} matches at most ${percent(promise.maxFalsePositiveRate)} of innocent requests${recall}: ` +
    `it matched ${falsePositives} of ${n} innocent ${unitsOf(subject.source)}${seen}. ${assumptionOf(subject.source)}`
  );
}

function refusalOf(subject: StatementSubject, found: CalibrationEstimate): string {
  const { ruleId, promise, source } = subject;
  const { n, neededN, nToFind, neededNToFind, laxest, strictest } = found;
  const units = unitsOf(source);
  const lacks = [
    ...(n < neededN
      ? [
          `${n} innocent ${units} ${n === 1 ? "is" : "are"} too few to promise a rate of at most ` +
            `${percent(promise.maxFalsePositiveRate)} with probability ${percent(promise.confidence)}: ` +
            `at least ${neededN} are needed, without a single false positive among them`,
        ]
      : []),
    ...(neededNToFind !== null && promise.minRecall !== undefined && nToFind < neededNToFind
      ? [
          `${nToFind} ${nToFind === 1 ? "request" : "requests"} to find ${nToFind === 1 ? "is" : "are"} too few to promise a recall of at least ` +
            `${percent(promise.minRecall)}: at least ${neededNToFind} are needed, without a single miss`,
        ]
      : []),
  ];
  if (lacks.length > 0) return `Nothing is promised about the rule "${ruleId}": ${lacks.join("; ")}.`;
  if (laxest === null)
    return (
      `Nothing is promised about the rule "${ruleId}": even with the threshold 1 it matches too many of the ${n} innocent ` +
      `${units}. A better detector, a condition or an exemption helps here; another threshold does not.`
    );
  const recall = strictest === null ? "no threshold does" : `that takes a threshold of at most ${strictest}`;
  return (
    `Nothing is promised about the rule "${ruleId}": at most ${percent(promise.maxFalsePositiveRate)} of innocent ` +
    `${units} takes a threshold of at least ${laxest}, and for a recall of at least ` +
    `${percent(promise.minRecall ?? 0)} ${recall}. Both together are not to be had; one of them has to give.`
  );
}

function assumptionOf(source: CalibrationSource): string {
  if ("annotations" in source) {
    const { environment, since, until } = source.annotations;
    return (
      `This holds over the draw of the annotated sample, for traffic like that ` +
      `${environment === undefined ? "" : `of ${environment} `}from ${day(since)} to ${day(until)}, with conversations ` +
      "that are independent of each other and annotators who take the queue as it comes and are right. Traffic that " +
      "changes voids it: calibrate again."
    );
  }
  return (
    "This holds over the draw of the dataset's samples, for innocent requests that are like its innocent samples, with " +
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
