// The memory of the host of models stays what it is, however many texts it judges. `npm run assurance -- model-memory`
// makes 200,000 runs and compares the second half with the first, in which heaps find their size; the suite makes few,
// and sees only that they are counted.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { reportProgress, reportSample, sampleOf } from "../../../scripts/assurance/sample.ts";
import { hasAddon, startModelHost, type TestHost } from "../../harness/model/model-host.ts";
import { tinyTexts, writeTinyModel } from "../../harness/model/tiny-model.ts";

const { n: runs } = sampleOf({ n: 500, seed: 1 });
const atOnce = 32;
/** With fewer runs nothing can be said about growth: heaps are still finding their size. */
const enough = 200_000;
/** What a heap may gain by chance. */
const slackMegabytes = 48;

describe.skipIf(!hasAddon)("the host of models", () => {
  let host: TestHost;

  beforeAll(async () => {
    host = await startModelHost((folder) => writeTinyModel(join(folder, "tiny")));
  });
  afterAll(() => host?.stop());

  const residentMegabytes = () =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${host.supervisor.pid}/status`, "utf8"))?.[1]) / 1024;

  it("needs no more memory after many runs than after some", { timeout: 7_200_000 }, async () => {
    let [done, failures, early] = [0, 0, 0];
    while (done < runs) {
      const count = Math.min(atOnce, runs - done);
      const texts = Array.from({ length: count }, (_, at) => `${tinyTexts.plain} ${"order ".repeat((done + at) % 90)}`);
      const results = await Promise.all(
        texts.map((text) => host.client.ask({ model: "tiny", text, remainingMs: 600_000 })),
      );
      failures += results.filter((result) => "failure" in result).length;
      done += count;
      if (early === 0 && done >= runs / 2) early = residentMegabytes();
      reportProgress(done);
    }
    const late = residentMegabytes();
    const grew = runs >= enough && late > early + slackMegabytes ? 1 : 0;
    reportSample({
      n: done,
      failures: failures + grew,
      figures: { earlyMegabytes: Math.round(early), lateMegabytes: Math.round(late) },
    });
    expect({ failures, grew, restarts: host.client.state.restarts }).toEqual({ failures: 0, grew: 0, restarts: 0 });
  });
});
