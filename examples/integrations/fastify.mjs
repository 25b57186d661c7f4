// Fastify: a plugin that judges the message of each request before its handler, and answers blocks and outages.

import { BlockedError, UnavailableError } from "@policyguard/client/guard";
import createFastify from "fastify";

/** An application with `POST /chat {conversation, message}`, whose `reply` asks the model. */
export function createApp({ guard, reply }) {
  const app = createFastify();
  app.decorateRequest("chat", null);

  app.addHook("preHandler", async (request) => {
    const { conversation, message } = request.body;
    // Whoever knows the id of a session gets its originals back: in your application, check that the conversation is
    // the signed-in person's, or put their id in front of it.
    request.chat = guard.session(conversation, { restore: true });
    request.body.message = (await request.chat.input(message)).text;
  });

  app.setErrorHandler((error, _, response) => {
    if (error instanceof BlockedError) return response.code(422).send({ error: "blocked", message: error.message });
    if (error instanceof UnavailableError) return response.code(503).send({ error: "unavailable" });
    throw error;
  });

  app.post("/chat", async ({ body, chat }) => {
    const { text } = await chat.output(await reply(body.message));
    return { text };
  });
  return app;
}
