// Minimal proxy on Node: Node's own server and undici's dispatch. Data of one turn of the event loop are
// written at once. No key, no routing, no bill. A child of the bench: bare-proxy.ts PORT UPSTREAM COUNT
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Dispatcher, Pool } from 'undici';

const [port = 0, upstream = 0, count = 0] = process.argv.slice(2).map(Number);

/** Forwards an answer, chunk by chunk. */
class AnswerForwarder implements Dispatcher.DispatchHandler {
  private readonly res: ServerResponse;
  private arrived: Buffer[] = [];

  constructor(res: ServerResponse) {
    this.res = res;
  }

  onRequestStart(): void {}

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[]>,
  ): void {
    this.res.writeHead(status, { 'content-type': String(headers['content-type']) });
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.arrived.push(chunk) === 1) process.nextTick(() => this.flush());
  }

  private flush(): void {
    if (this.arrived.length > 0) this.res.write(Buffer.concat(this.arrived));
    this.arrived = [];
  }

  onResponseEnd(): void {
    this.flush();
    this.res.end();
  }

  onResponseError(): void {
    this.res.destroy();
  }
}

function serve(pool: Pool, req: IncomingMessage, res: ServerResponse): void {
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => {
    const headers = { 'content-type': 'application/json', accept: req.headers.accept ?? '*/*' };
    const call = { path: req.url ?? '/', method: 'POST', headers, body: Buffer.concat(chunks) } as const;
    pool.dispatch({ ...call, origin: '' }, new AnswerForwarder(res));
  });
}

for (let offset = 0; offset < count; offset += 1) {
  const pool = new Pool(`http://127.0.0.1:${upstream + offset}`, { pipelining: 1, connections: null });
  createServer((req, res) => serve(pool, req, res)).listen(port + offset, '127.0.0.1', () => {
    if (offset === count - 1) console.log('listening');
  });
}
