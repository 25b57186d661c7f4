import { queryClient } from "./client.ts";
import { meQuery } from "./session.ts";

/** After a sign-in: forgets what the former session saw, and learns who is signed in now. */
export async function enterAs(): Promise<void> {
  queryClient.clear();
  await queryClient.fetchQuery(meQuery);
}
