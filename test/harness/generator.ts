/** Numbers from 0 up to 1, the same ones for the same start: a linear congruential generator. */
export function generator(start: number): () => number {
  let state = start >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
