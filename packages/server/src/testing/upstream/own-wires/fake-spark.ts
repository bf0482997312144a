import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import type { ModelExchange } from '../fake-upstream-exchange.ts';
import type { ModelBehaviour } from '../fake-upstream-scripts.ts';

// iFLYTEK's Spark, as documented: a signed address, one message in, several out.

export const sparkKey = 'spark-app|spark-secret|spark-key';

/** One message received over its own socket, and the state of its answer. */
class SparkExchange implements ModelExchange {
  readonly path: string;
  readonly body: Buffer;
  readonly closed: Promise<void>;
  readonly finished: Promise<void>;
  /** True once the peer closed before the end of the script. */
  cutByPeer = false;
  private readonly socket: WebSocket;
  private hasFinished = false;
  private resolveFinished!: () => void;

  constructor(path: string, body: Buffer, socket: WebSocket) {
    this.path = path;
    this.body = body;
    this.socket = socket;
    this.finished = new Promise((resolve) => {
      this.resolveFinished = resolve;
    });
    this.closed = new Promise((resolve) => {
      socket.once('close', () => {
        if (!this.hasFinished) this.cutByPeer = true;
        resolve();
      });
    });
  }

  json(): Record<string, unknown> {
    return JSON.parse(this.body.toString('utf8')) as Record<string, unknown>;
  }

  /** The handshake is already the start of the answer. */
  head(): void {}

  /** Sends one message. */
  write(message: string | Buffer): Promise<void> {
    return new Promise((resolve) => this.socket.send(message.toString(), () => resolve()));
  }

  async end(message: string | Buffer = ''): Promise<void> {
    if (message.length > 0) await this.write(message);
    this.hasFinished = true;
    this.socket.close();
  }

  cut(): void {
    this.hasFinished = true;
    this.socket.terminate();
  }

  async turn(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
  }

  markFinished(): void {
    this.hasFinished = true;
    this.resolveFinished();
  }
}

/** Spark on its own port. */
export interface FakeSpark {
  url: string;
  /** The received messages. */
  readonly requests: readonly SparkExchange[];
  /** Sets the answer to messages from now on. */
  script(behaviour: ModelBehaviour): void;
  /** Rejects with an error that a script threw, so that a broken script fails its test. */
  close(): Promise<void>;
}

/** A failure in the vendor's format. */
export const sparkFailure =
  (code: number, message: string): ModelBehaviour =>
  (exchange) =>
    exchange.end(JSON.stringify({ header: { code, message, sid: 'cht000cb087', status: 2 } }));

/** The paths of the API, and the domain that a request to each must name. */
const domains: Readonly<Record<string, string>> = {
  '/v1.1/chat': 'lite',
  '/v2.1/chat': 'generalv2',
  '/v3.1/chat': 'generalv3',
  '/v3.5/chat': 'generalv3.5',
  '/v4.0/chat': '4.0Ultra',
};

interface Chat {
  header: { app_id: string };
  parameter: { chat: { domain: string } };
  payload: { message: { text: { role: string; content: unknown }[] } };
}

/** Error of a message; undefined if it is valid. */
function formFault({ path, body }: SparkExchange): ModelBehaviour | undefined {
  const { header, parameter, payload } = JSON.parse(body.toString('utf8')) as Chat;
  if (header.app_id !== sparkKey.split('|')[0])
    return sparkFailure(10_016, 'AppIdNoAuthError:(no authorization for this appid)');
  if (parameter.chat.domain !== domains[path]) return sparkFailure(10_005, 'UserParamValueError: domain');
  const isTurn = ({ role, content }: { role: string; content: unknown }) =>
    /^(system|user|assistant)$/.test(role) && typeof content === 'string';
  const { text } = payload.message;
  const isGood = text.every(isTurn) && text.at(-1)?.role === 'user';
  return isGood ? undefined : sparkFailure(10_004, 'UserDataSchemaError: /payload/message/text');
}

/** Error of the signature of an address; undefined if it is valid. */
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

/** Starts Spark; `script` answers its chats. */
export async function startFakeSpark(script: ModelBehaviour): Promise<FakeSpark> {
  const server = createServer();
  const sockets = new WebSocketServer({ noServer: true });
  const requests: SparkExchange[] = [];
  let standing = script;
  let failure: unknown;
  const answer = async (exchange: SparkExchange): Promise<void> => {
    requests.push(exchange);
    try {
      await (formFault(exchange) ?? standing)(exchange);
    } catch (error) {
      failure ??= error;
      exchange.cut();
    } finally {
      exchange.markFinished();
    }
  };
  server.on('upgrade', (req, socket, head) => {
    const { pathname } = new URL(req.url ?? '', 'http://spark.test');
    const fault = faultOf(req);
    if (fault !== undefined || !Object.hasOwn(domains, pathname)) {
      const body = JSON.stringify({ message: fault ?? 'Not Found' });
      const status = fault === undefined ? '404 Not Found' : '401 Unauthorized';
      socket.end(
        `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      );
      return;
    }
    sockets.handleUpgrade(req, socket, head, (accepted) => {
      accepted.on('message', (data: Buffer) => void answer(new SparkExchange(pathname, data, accepted)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    script(behaviour) {
      standing = behaviour;
    },
    async close() {
      for (const socket of sockets.clients) socket.terminate();
      await new Promise((resolve) => server.close(resolve));
      if (failure !== undefined) throw failure;
    },
  };
}
