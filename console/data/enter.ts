import { queryClient } from "./client.ts";
import { meQuery, tellSignIn } from "./session.ts";

/**
 * After a sign-in: forgets what the former session saw, learns who is signed in now, and tells the other tabs. Without an
 * answer the page that is gone to asks again, and tells why: what led to the sign-in, such as a link, may work only once.
 */
export async function enterAs(): Promise<void> {
  queryClient.clear();
  await queryClient.fetchQuery(meQuery).catch(() => {});
  tellSignIn();
}
