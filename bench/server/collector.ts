// A collector of spans in a process of its own: takes what comes and answers 200. Tells its port.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const server = createServer((request, response) => void request.resume().once("end", () => response.end("{}")));
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo; // listens on TCP
  process.send?.(port);
});
