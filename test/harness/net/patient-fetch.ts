import { eventually } from "../eventually.ts";

/** A call that is made again while the analysis behind it has too much to do, as its answer asks for. */
export function patientFetch(url: string, init: RequestInit): Promise<Response> {
  return eventually(async () => {
    const answer = await fetch(url, init);
    if (answer.status === 503) throw new Error(await answer.text());
    return answer;
  });
}
