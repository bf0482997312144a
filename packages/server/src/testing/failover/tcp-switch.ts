import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A place between clients and a server that may fail as networks do. */
export interface TcpSwitch {
  /** The address of a server, reached through the switch. */
  through(url: string): string;
  /** Connections that are open now carry nothing any more, and nobody is told; new ones work. */
  silence(): void;
  /** New connections go to another port, and open ones break. */
  turn(port: number): void;
  /** Called with what a client sends, before it goes on; true to break the connection: before it, or once the server has it. */
  watch(what: ((sent: Buffer) => 'before' | 'after' | undefined) | undefined): void;
  close(): Promise<void>;
}

interface Pair {
  client: Socket;
  server: Socket;
}

/** Opens a switch in front of a port of this machine. `rewrite` may change the bytes of what the server sends. */
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
      // The server's answer is not waited for: it has the bytes when they are flushed.
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
