import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** Proxy between clients and a server that simulates network failures. */
export interface TcpSwitch {
  /** Address of a server through the switch. */
  through(url: string): string;
  /** Open connections carry no further data, and neither side gets an error. New connections work. */
  silence(): void;
  /** New connections go to another port, and open ones break. */
  turn(port: number): void;
  /**
   * The callback receives data of a client before the server does. 'before' breaks the connection at once; 'after' breaks
   * it after delivery to the server.
   */
  watch(what: ((sent: Buffer) => 'before' | 'after' | undefined) | undefined): void;
  close(): Promise<void>;
}

interface Pair {
  client: Socket;
  server: Socket;
}

/** Opens a switch in front of a local port. `rewrite` may change the bytes that the server sends. */
export async function openTcpSwitch(
  target: number,
  rewrite: (answer: Buffer) => void = () => {},
): Promise<TcpSwitch> {
  const pairs = new Set<Pair>();
  let port = target;
  let watcher: Parameters<TcpSwitch['watch']>[0];
  const end = ({ client, server }: Pair): void => {
    client.destroy();
    server.destroy();
  };
  const listener = createServer((client) => {
    const server = connect(port, '127.0.0.1');
    const pair = { client, server };
    pairs.add(pair);
    client.on('data', (sent) => {
      const when = watcher?.(sent);
      if (when === 'before') return end(pair);
      // The server has the bytes after the flush. The connection breaks without a wait for the answer.
      if (when === 'after') return void server.write(sent, () => setTimeout(() => end(pair), 20));
      server.write(sent);
    });
    server.on('data', (answer) => {
      rewrite(answer);
      client.write(answer);
    });
    for (const side of [client, server]) {
      side.setNoDelay(true);
      side.on('error', () => undefined);
      side.on('close', () => {
        pairs.delete(pair);
        end(pair);
      });
    }
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const own = (listener.address() as AddressInfo).port;
  return {
    through(url) {
      const address = new URL(url);
      address.port = String(own);
      return address.href;
    },
    silence() {
      for (const { client, server } of pairs)
        for (const side of [client, server])
          side.removeAllListeners('data').removeAllListeners('close').pause();
    },
    turn(to) {
      port = to;
      pairs.forEach(end);
    },
    watch: (what) => void (watcher = what),
    async close() {
      listener.close();
      pairs.forEach(end);
      await once(listener, 'close');
    },
  };
}
