// Keccak-256 (G. Bertoni, J. Daemen, M. Peeters, G. Van Assche, "The Keccak reference", 2011), with the padding from
// before FIPS 202, as Ethereum uses it. Lanes of 64 bits are pairs of 32.

const rate = 136;
const rounds = roundConstants();
const rotations = [1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 2, 14, 27, 41, 56, 8, 25, 43, 62, 18, 39, 61, 20, 44];
const lanes = [10, 7, 11, 17, 18, 3, 5, 16, 8, 21, 24, 4, 15, 23, 19, 13, 12, 2, 20, 14, 22, 9, 6, 1];

/** The digest of an ASCII text of fewer than 136 characters, in hexadecimal. */
export function keccak256(text: string): string {
  const block = new Uint8Array(rate);
  for (let i = 0; i < text.length; i++) block[i] = text.charCodeAt(i);
  block[text.length] = 1;
  block[rate - 1] = (block[rate - 1] ?? 0) | 0x80;
  const state = new Array<bigint>(25).fill(0n);
  const view = new DataView(block.buffer);
  for (let i = 0; i < rate / 8; i++) state[i] = view.getBigUint64(i * 8, true);
  for (const constant of rounds) permute(state, constant);
  return state.slice(0, 4).map(littleEndian).join("");
}

const mask = (1n << 64n) - 1n;

function rotate(lane: bigint, by: number): bigint {
  return ((lane << BigInt(by)) | (lane >> BigInt(64 - by))) & mask;
}

function permute(state: bigint[], constant: bigint): void {
  const at = (index: number): bigint => state[index] ?? 0n;
  const columns = [0, 1, 2, 3, 4].map((x) => at(x) ^ at(x + 5) ^ at(x + 10) ^ at(x + 15) ^ at(x + 20));
  for (let i = 0; i < 25; i++) state[i] = at(i) ^ (columns[(i + 4) % 5] ?? 0n) ^ rotate(columns[(i + 1) % 5] ?? 0n, 1);
  let moved = at(1);
  for (const [i, lane] of lanes.entries()) {
    const next = at(lane);
    state[lane] = rotate(moved, rotations[i] ?? 0);
    moved = next;
  }
  for (let row = 0; row < 25; row += 5) {
    const copy = [0, 1, 2, 3, 4].map((x) => at(row + x));
    for (let x = 0; x < 5; x++)
      state[row + x] = (copy[x] ?? 0n) ^ (~(copy[(x + 1) % 5] ?? 0n) & mask & (copy[(x + 2) % 5] ?? 0n));
  }
  state[0] = at(0) ^ constant;
}

function roundConstants(): bigint[] {
  const constants: bigint[] = [];
  let register = 1;
  for (let round = 0; round < 24; round++) {
    let constant = 0n;
    for (let bit = 0; bit < 7; bit++) {
      if ((register & 1) === 1) constant |= 1n << BigInt((1 << bit) - 1);
      register = (register << 1) ^ ((register >> 7) * 0x171);
    }
    constants.push(constant);
  }
  return constants;
}

function littleEndian(lane: bigint): string {
  return (lane.toString(16).padStart(16, "0").match(/../g) ?? []).reverse().join("");
}
