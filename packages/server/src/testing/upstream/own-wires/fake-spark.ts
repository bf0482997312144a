import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

// iFLYTEK's Spark, as its documents tell it: a signed address, one message in, several out.

export const sparkKey = 'spark-app|spark-secret|spark-key';

/** What Spark does with a chat. */
export type SparkScript = 'answer' | 'half' | { code: number; message: string };

/** Spark on a port of its own. */
export interface FakeSpark {
  url: string;
  /** The messages that came, and the paths that they came by. */
  readonly asked: { path: string; message: Record<string, unknown> }[];
  script: SparkScript;
  /** Breaks off whatever is open. */
  cut(): void;
  close(): Promise<void>;
}

/** What is wrong with the signature of an address; undefined where it is right. */
function faultOf({ url = '', headers }: IncomingMessage): string | undefined {
  const { pathname, searchParams } = new URL(url, 'http://spark.test');
  const [, secret, key] = sparkKey.split('|') as [string, string, string];
  const date = searchParams.get('date') ?? '';
  const host = searchParams.get('host') ?? '';
  if (host !== headers.host) return 'HMAC signature does not match: host';
  if (!(Math.abs(Date.parse(date) - Date.now()) < 300_000)) return 'HMAC signature cannot be verified: date';
  const signed = `host: ${host}\ndate: ${date}\nGET ${pathname} HTTP/1.1`;
  const signature = createHmac('sha256', secret).update(signed).digest('base64');
  const words = Buffer.from(searchParams.get('authorization') ?? '', 'base64').toString();
  const parts = Object.fromEntries(
    [...words.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
  );
  const isRight =
    parts.api_key === key &&
    parts.algorithm === 'hmac-sha256' &&
    parts.headers === 'host date request-line' &&
    parts.signature === signature;
  return isRight ? undefined : 'HMAC signature does not match';
}

const message = (status: number, content: string, usage?: object): string =>
  JSON.stringify({
    header: { code: 0, message: 'Success', sid: 'cht000cb087', status },
    payload: {
      choices: { status, seq: status, text: [{ content, role: 'assistant', index: 0 }] },
      ...(usage && { usage: { text: usage } }),
    },
  });

function answer(socket: WebSocket, script: SparkScript): void {
  if (typeof script === 'object') {
    socket.send(JSON.stringify({ header: { ...script, sid: 'cht000cb087', status: 2 } }));
    return socket.close();
  }
  socket.send(message(0, 'Paris '));
  if (script === 'half') return;
  socket.send(message(1, 'is '));
  socket.send(
    message(2, 'mild.', { question_tokens: 4, prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 }),
  );
  socket.close();
}

/** Starts Spark. */
export async function startFakeSpark(): Promise<FakeSpark> {
  const server = createServer();
  const sockets = new WebSocketServer({ noServer: true });
  const asked: FakeSpark['asked'] = [];
  server.on('upgrade', (req, socket, head) => {
    const fault = faultOf(req);
    if (fault !== undefined) {
      const body = JSON.stringify({ message: fault });
      socket.end(
        `HTTP/1.1 401 Unauthorized\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      );
      return;
    }
    sockets.handleUpgrade(req, socket, head, (accepted) => {
      accepted.on('message', (data: Buffer) => {
        const path = new URL(req.url ?? '', 'http://spark.test').pathname;
        asked.push({ path, message: JSON.parse(data.toString()) as Record<string, unknown> });
        answer(accepted, fake.script);
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const fake: FakeSpark = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    script: 'answer',
    cut() {
      for (const socket of sockets.clients) socket.terminate();
    },
    async close() {
      fake.cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return fake;
}
