import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';

/** An event in the client's format. */
export interface RealtimeEvent {
  type: string;
  [field: string]: unknown;
}

/** Options of a caller's WebSocket. */
export interface RealtimeClientOptions {
  protocols?: string[];
  headers?: Record<string, string>;
}

/** A caller with a raw WebSocket, for cases that the official clients do not support: cut, flood and silence. */
export class RealtimeClient {
  readonly ws: WebSocket;
  readonly events: RealtimeEvent[] = [];
  readonly binary: Buffer[] = [];
  readonly closed: Promise<{ code: number; reason: string }>;
  private readonly waiters: {
    wanted: (event: RealtimeEvent) => boolean;
    resolve: (event: RealtimeEvent) => void;
  }[] = [];

  private constructor(ws: WebSocket) {
    this.ws = ws;
    this.closed = new Promise((resolve) => {
      ws.on('close', (code, reason) => resolve({ code, reason: reason.toString() }));
    });
    ws.on('error', () => undefined);
    ws.on('message', (data: Buffer, isBinary) => {
      if (isBinary) return void this.binary.push(data);
      const event = JSON.parse(data.toString()) as RealtimeEvent;
      this.events.push(event);
      for (const waiter of this.waiters.splice(0)) {
        if (waiter.wanted(event)) waiter.resolve(event);
        else this.waiters.push(waiter);
      }
    });
  }

  /** Resolves when the socket is open; rejects with `Refused` after any other answer. */
  static open(
    url: string,
    { protocols = [], headers = {} }: RealtimeClientOptions = {},
    /** Receives the headers of the answer. */
    onUpgrade: (headers: IncomingMessage['headers']) => void = () => undefined,
  ): Promise<RealtimeClient> {
    const ws = new WebSocket(url, protocols, { headers, perMessageDeflate: false });
    const client = new RealtimeClient(ws);
    return new Promise((resolve, reject) => {
      ws.once('upgrade', (answer) => onUpgrade(answer.headers));
      ws.once('open', () => resolve(client));
      ws.once('unexpected-response', (_req, res) => {
        Refused.read(res).then(reject, reject);
      });
      ws.once('error', reject);
    });
  }

  send(event: object): void {
    this.ws.send(JSON.stringify(event));
  }

  /** The next event of this type, which may be an earlier event that no call has taken. */
  async next(type: string): Promise<RealtimeEvent> {
    const index = this.events.findIndex((event) => event.type === type);
    if (index >= 0) return this.events.splice(index, 1)[0]!;
    const event = await new Promise<RealtimeEvent>((resolve) => {
      this.waiters.push({ wanted: (each) => each.type === type, resolve });
    });
    this.events.splice(this.events.indexOf(event), 1);
    return event;
  }

  /** Events in order of arrival until the socket closes. */
  async *follow(): AsyncGenerator<RealtimeEvent> {
    const closed = this.closed.then(() => undefined);
    for (;;) {
      const event =
        this.events.shift() ?? (await Promise.race([this.any().then(() => this.events.shift()), closed]));
      if (!event && this.events.length === 0) return;
      if (event) yield event;
    }
  }

  private any(): Promise<RealtimeEvent> {
    return new Promise((resolve) => {
      this.waiters.push({ wanted: () => true, resolve });
    });
  }

  /** Requests a response and waits for its end. */
  async respond(): Promise<RealtimeEvent> {
    this.send({ type: 'response.create' });
    return this.next('response.done');
  }

  /** Sends a close frame and waits for the answer. */
  async leave(): Promise<void> {
    this.ws.close(1000);
    await this.closed;
  }
}

/** An HTTP answer to a handshake instead of an upgrade. */
export class Refused extends Error {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: { error?: { code?: string; message?: string; type?: string } };

  constructor(status: number, headers: IncomingMessage['headers'], body: Refused['body']) {
    super(`refused with ${status}: ${JSON.stringify(body)}`);
    this.status = status;
    this.headers = headers;
    this.body = body;
  }

  static async read(res: IncomingMessage): Promise<Refused> {
    const chunks: Buffer[] = [];
    for await (const chunk of res) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    return new Refused(res.statusCode ?? 0, res.headers, JSON.parse(text) as Refused['body']);
  }
}
