import { defineCommand } from "../command.ts";
import { exitCodes } from "../failure.ts";
import { forgetConnection } from "../settings.ts";

/** `policy-guard logout`: deletes the stored login. */
export const logout = defineCommand({
  name: "logout",
  summary: "Delete the stored login.",
  positionals: { label: "", min: 0, max: 0 },
  options: {},
  notes: `The token itself stays alive: whoever has it may go on using it. Revoke it on the server to end it.`,
  async run({ output, world }) {
    const { path, wasThere } = forgetConnection(world.env);
    output.line(wasThere ? `removed ${path}` : "nobody was logged in");
    output.json({ file: path, removed: wasThere });
    return exitCodes.fine;
  },
});
