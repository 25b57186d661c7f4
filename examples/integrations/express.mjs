// Express: a middleware that judges the message of each request, a streamed answer, and a handler of errors.

import { BlockedError, UnavailableError } from "@policyguard/client/guard";
import express from "express";

/** An application with `POST /chat {conversation, message}`, whose `reply` yields the texts of the model. */
export function createApp({ guard, reply }) {
  const app = express();
  app.use(express.json());

  app.use(async (request, _, next) => {
    const { conversation, message } = request.body;
    // Whoever knows the id of a session gets its originals back: in your application, check that the conversation is
    // the signed-in person's, or put their id in front of it.
    request.chat = guard.session(conversation, { restore: true });
    request.message = (await request.chat.input(message)).text;
    next();
  });

  app.post("/chat", async (request, response) => {
    for await (const piece of request.chat.streamFrom(reply(request.message))) response.write(piece);
    response.end();
  });

  app.use((error, _request, response, next) => {
    const isBlocked = error instanceof BlockedError;
    if (!isBlocked && !(error instanceof UnavailableError)) return next(error);
    // What was sent cannot be taken back: the reader is told in the text.
    if (response.headersSent) return response.end(`\n[${isBlocked ? error.message : "Please try again in a moment."}]`);
    response.status(isBlocked ? 422 : 503).json({ error: isBlocked ? error.message : "unavailable" });
  });
  return app;
}
