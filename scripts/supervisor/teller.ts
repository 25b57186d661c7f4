// What the supervisor says of its parts: in the terminal, and in a file for whoever comes later.

import { appendFileSync } from "node:fs";

/**
 * Says lines in the terminal and, with the time, in this file. It never throws: where the file has no room, the
 * terminal has the line.
 */
export function createTeller(file: string): (line: string) => void {
  return (line) => {
    console.log(line);
    try {
      appendFileSync(file, `${new Date().toISOString()} ${line}\n`);
    } catch {
      // The parts go on, and so does whoever restarts them.
    }
  };
}
