// An MCP server whose tools are guarded: what a model wants to call is judged before the tool runs, and what the tool
// returns before the model reads it. A block is a tool's error, which models understand.

import { BlockedError } from "@policyguard/client/guard";

/** Registers a tool on the server. `run` gets the arguments, rewritten where the policy redacts, and returns a text. */
export function registerGuardedTool(server, guard, name, config, run) {
  server.registerTool(name, config, async (parameters) => {
    const { allowed, blocked } = await guard.toolCalls([{ name, arguments: parameters }]);
    if (blocked.length > 0) return failed(`The call is blocked by the rule ${blocked[0].ruleIds.join(", ")}.`);
    try {
      const { text } = await guard.toolResult(await run(allowed[0].arguments), { tool: name });
      return { content: [{ type: "text", text }] };
    } catch (error) {
      if (error instanceof BlockedError) return failed(error.message);
      throw error;
    }
  });
}

function failed(text) {
  return { content: [{ type: "text", text }], isError: true };
}
