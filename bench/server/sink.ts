// A webhook's target in a process of its own: takes what comes and answers 204. Tells its port on its first line, and
// the id and the moment of each arrival to whoever asks with GET, which also forgets them.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

let arrivals: [id: string, atMs: number][] = [];

const server = createServer((request, response) => {
  if (request.method === "GET") {
    response.end(JSON.stringify(arrivals));
    arrivals = [];
    return;
  }
  arrivals.push([String(request.headers["x-webhook-id"]), performance.timeOrigin + performance.now()]);
  request.resume().once("end", () => response.writeHead(204).end());
});
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo; // listens on TCP
  console.log(port);
});
