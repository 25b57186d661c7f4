import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { minCachedBytes, rememberingCompress } from "../../../gateway/http/compression-cache.ts";

/** A compression that counts how often it works, and is over when it is told. */
function counted() {
  const bodies: Uint8Array[] = [];
  const compress = rememberingCompress(async (body) => {
    bodies.push(body);
    return body.slice(0, 8);
  });
  return { bodies, compress };
}

describe("answers that are compressed", () => {
  it("are compressed once for all callers that ask for the same bytes at once or soon after", async () => {
    const { bodies, compress } = counted();
    const body = randomBytes(minCachedBytes);
    const answers = await Promise.all(Array.from({ length: 50 }, () => compress(Uint8Array.from(body))));
    answers.push(await compress(body));
    expect(bodies).toHaveLength(1);
    for (const answer of answers) expect(Buffer.from(answer)).toEqual(body.subarray(0, 8));
  });

  it("are told apart by each of their bytes", async () => {
    const { bodies, compress } = counted();
    const body = randomBytes(minCachedBytes);
    const other = Uint8Array.from(body);
    other[minCachedBytes - 1] = (other[minCachedBytes - 1] ?? 0) ^ 1;
    await Promise.all([compress(body), compress(other)]);
    expect(bodies).toHaveLength(2);
  });

  it("are not remembered when they are small, or when they failed", async () => {
    const { bodies, compress } = counted();
    const small = randomBytes(minCachedBytes - 1);
    await compress(small);
    await compress(small);
    expect(bodies).toHaveLength(2);
    let tries = 0;
    const failing = rememberingCompress(() => {
      tries += 1;
      return Promise.reject(new Error("out of memory"));
    });
    const body = randomBytes(minCachedBytes);
    await expect(failing(body)).rejects.toThrow("out of memory");
    await expect(failing(body)).rejects.toThrow("out of memory");
    expect(tries).toBe(2);
  });

  it("are forgotten when there are too many of them", async () => {
    let made = 0;
    const compress = rememberingCompress(async () => {
      made += 1;
      return new Uint8Array(20 * 1024 * 1024);
    });
    const [first, second] = [randomBytes(minCachedBytes), randomBytes(minCachedBytes)];
    await compress(first);
    await compress(second);
    await compress(second);
    expect(made).toBe(2);
    await compress(first);
    expect(made).toBe(3);
  });

  it("are not remembered when one is larger than all may be together", async () => {
    let made = 0;
    const compress = rememberingCompress(async () => {
      made += 1;
      return new Uint8Array(32 * 1024 * 1024 + 1);
    });
    const body = randomBytes(minCachedBytes);
    await compress(body);
    await compress(body);
    expect(made).toBe(2);
  });
});
