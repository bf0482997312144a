import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { JsonObject } from '../../../lib/json.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../gateway-harness.ts';
import { pollTasks } from '../../poll-tasks.ts';

/** The vendor's side of OpenAI's videos; the test advances them by hand. */
export interface FakeVideos {
  url: string;
  requests: { method: string; path: string; body: string }[];
  /** The headers of the last request that was not a status query. */
  headers: IncomingHttpHeaders;
  videos: Map<string, JsonObject>;
  /** Answers the next submission in place of accepting it. */
  answerNext(status: number, body: unknown): void;
  close(): Promise<void>;
}

const video = Buffer.from('0123456789');

/** Starts it on a free port. */
export async function startFakeVideos(): Promise<FakeVideos> {
  const next: { status: number; body: unknown }[] = [];
  const fake: FakeVideos = {
    url: '',
    requests: [],
    headers: {},
    videos: new Map(),
    answerNext: (status, body) => void next.push({ status, body }),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  const server = createServer((req, res) => void answer(req, res));
  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const { method = '', url: path = '/', headers } = req;
    const body = await text(req);
    const say = (status: number, value: unknown): void => {
      res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    };
    if (method !== 'GET') {
      fake.requests.push({ method, path, body });
      fake.headers = headers;
    }
    if (path.endsWith('/content')) return sendPart(res, headers.range);
    if (method !== 'POST') {
      const found = fake.videos.get(path.slice(path.lastIndexOf('/') + 1));
      return found ? say(200, found) : say(404, { error: { message: 'no such video' } });
    }
    const own = next.shift();
    if (own) return say(own.status, own.body);
    const id = `video_${fake.videos.size + 1}`;
    fake.videos.set(id, { id, object: 'video', status: 'queued', progress: 0 });
    say(200, fake.videos.get(id));
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  fake.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return fake;
}

/** The bytes of a video, or the requested part. */
function sendPart(res: ServerResponse, range: string | undefined): void {
  const [, from = '', to = ''] = /^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? [];
  const part = from === '' ? video : video.subarray(Number(from), Number(to) + 1);
  res.writeHead(from === '' ? 200 : 206, {
    'content-type': 'video/mp4',
    'content-length': part.length,
    ...(from !== '' && { 'content-range': `bytes ${from}-${to}/${video.length}` }),
  });
  res.end(part);
}

/** A gateway with a Sora channel, and a user with access to it. */
export interface VideoWorld {
  gate: GatewayHarness;
  vendor: FakeVideos;
  caller: TestCaller;
  /** The initial balance of the caller. */
  start: number;
  call(path: string, body?: JsonObject): Promise<{ status: number; body: JsonObject }>;
  /** Sets the vendor's status of its newest video, then polls every task. */
  report(update: JsonObject): Promise<void>;
  /** Polls every open task. */
  poll(): Promise<void>;
  close(): Promise<void>;
}

/** Opens it on SQLite. */
export async function openVideoWorld(env: Record<string, string> = {}): Promise<VideoWorld> {
  const gate = await openGateway(env);
  const vendor = await startFakeVideos();
  await gate.addChannel({ type: 55, base_url: vendor.url, key: 'sora-secret', models: 'sora-2' });
  const start = 5_000_000;
  const caller = await gate.addCaller({ balance: start, allowance: start });
  const poll = () => pollTasks(gate);
  return {
    gate,
    vendor,
    caller,
    start,
    async call(path, body) {
      const answer = await fetch(gate.url + path, {
        method: body ? 'POST' : 'GET',
        headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      });
      return { status: answer.status, body: (await answer.json()) as JsonObject };
    },
    async report(update) {
      const id = [...vendor.videos.keys()].at(-1) ?? '';
      vendor.videos.set(id, { ...vendor.videos.get(id), ...update });
      await poll();
    },
    poll,
    async close() {
      await gate.close();
      await vendor.close();
    },
  };
}
