import { queryClient } from "./client.ts";
import { meQuery, tellSignIn } from "./session.ts";

/** After a sign-in: forgets what the former session saw, learns who is signed in now, and tells the other tabs. */
export async function enterAs(): Promise<void> {
  queryClient.clear();
  await queryClient.fetchQuery(meQuery);
  tellSignIn();
}
