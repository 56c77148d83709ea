// A TCP proxy that cuts what goes through it: after so many bytes from the far side the connection is
// reset, wherever in a message that may be.

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

export interface CuttingProxy {
  url: string;
  /** Connections so far. */
  connections(): number;
  /** From now on nothing is cut any more. */
  mend(): void;
}

/** `cutAfter(n)`: bytes that the n-th connection (from 0) lets through. Ends with the test. */
export async function cuttingProxy(port: number, cutAfter: (connection: number) => number): Promise<CuttingProxy> {
  const sockets = new Set<Socket>();
  let count = 0;
  let mended = false;
  const server = createServer((near) => {
    let left = cutAfter(count);
    count += 1;
    const far = connect(port, "127.0.0.1");
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far);
    far.on("data", (chunk: Buffer) => {
      if (mended || chunk.length <= left) near.write(chunk);
      else near.write(chunk.subarray(0, left), () => near.resetAndDestroy());
      left -= chunk.length;
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => count,
    mend() {
      mended = true;
    },
  };
}
