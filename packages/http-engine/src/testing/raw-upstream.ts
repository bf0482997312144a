import { type AddressInfo, createServer, type Socket } from 'node:net';

/** One request as received on a socket. */
export interface RawRequest {
  /** The whole request, including its body. */
  text: string;
  socket: Socket;
  /** Index of its connection, from 0. */
  connection: number;
}

/** An upstream that answers with any bytes, and records what is sent. */
export interface RawUpstream {
  readonly url: string;
  readonly port: number;
  readonly requests: readonly RawRequest[];
  /** The number of accepted connections, and the open ones. */
  readonly connections: number;
  readonly open: ReadonlySet<Socket>;
  close(): Promise<void>;
}

const blankLine = '\r\n\r\n';

/** Length of the first request in `text`, including its body; −1 if it is incomplete. */
function requestEnd(text: string): number {
  const head = text.indexOf(blankLine);
  if (head < 0) return -1;
  const length = Number(/^content-length: (\d+)/im.exec(text.slice(0, head))?.[1] ?? 0);
  const end = head + blankLine.length + length;
  return text.length < end ? -1 : end;
}

/** Starts it on a free port of 127.0.0.1; `answer` is called for every whole request. */
export async function startRawUpstream(answer: (request: RawRequest) => void): Promise<RawUpstream> {
  const requests: RawRequest[] = [];
  const open = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    const connection = connections;
    connections += 1;
    open.add(socket);
    let text = '';
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    socket.on('close', () => open.delete(socket));
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1');
      for (let end = requestEnd(text); end >= 0; end = requestEnd(text)) {
        const request = { text: text.slice(0, end), socket, connection };
        text = text.slice(end);
        requests.push(request);
        answer(request);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    get connections() {
      return connections;
    },
    open,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
}
