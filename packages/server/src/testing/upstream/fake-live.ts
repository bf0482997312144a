import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';

/** A message of Gemini Live. */
export interface LiveMessage {
  [member: string]: unknown;
}

/** One session as seen by the upstream. */
interface RecordedLive {
  path: string;
  headers: IncomingMessage['headers'];
  /** Messages of the caller, the setup first. */
  messages: LiveMessage[];
  /** Resolves with the code when the gateway's socket is closed. */
  closed: Promise<number>;
  send(message: LiveMessage): void;
  close(code: number, reason: string): void;
  cut(): void;
}

/** A server of Gemini Live, controlled by the test. */
export interface FakeLive {
  url: string;
  sessions: RecordedLive[];
  /** Messages that answer a message of the caller; those of the setup by default. */
  answer: (message: LiveMessage, session: RecordedLive) => readonly LiveMessage[];
  /** Closes sessions in answer to their setup; undefined to accept them. */
  refusal: { code: number; reason: string } | undefined;
  close(): Promise<void>;
}

/** Starts a server of Gemini Live on a real socket. Like Google's, it sends JSON in binary frames. */
export async function startFakeLive(): Promise<FakeLive> {
  const server = createServer();
  const sockets = new WebSocketServer({ server });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const fake: FakeLive = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sessions: [],
    answer: () => [],
    refusal: undefined,
    async close() {
      for (const client of sockets.clients) client.terminate();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  sockets.on('connection', (ws, req) => {
    const session: RecordedLive = {
      path: req.url ?? '',
      headers: req.headers,
      messages: [],
      closed: new Promise((resolve) => {
        ws.on('close', (code) => resolve(code));
      }),
      send: (message) => ws.send(Buffer.from(JSON.stringify(message))),
      close: (code, reason) => ws.close(code, reason),
      cut: () => ws.terminate(),
    };
    fake.sessions.push(session);
    ws.on('error', () => undefined);
    ws.on('message', (data: Buffer) => {
      const message = JSON.parse(data.toString()) as LiveMessage;
      session.messages.push(message);
      const { refusal } = fake;
      if (message['setup'] === undefined)
        for (const each of fake.answer(message, session)) session.send(each);
      else if (refusal) session.close(refusal.code, refusal.reason);
      else session.send({ setupComplete: {} });
    });
  });
  return fake;
}
