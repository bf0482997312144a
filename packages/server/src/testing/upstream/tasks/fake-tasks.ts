import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { JsonObject } from '../../../lib/json.ts';

/** A request as seen by the vendor's side. */
interface SeenTask {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: JsonObject;
}

/** A midjourney-proxy and a Suno server in one; the test advances their tasks by hand. */
export interface FakeTasks {
  url: string;
  /** By the vendor's id, in the vendor's format. */
  tasks: Map<string, JsonObject>;
  requests: SeenTask[];
  /** Answers the next submission in place of accepting it. */
  answerNext(status: number, body: unknown): void;
  /** Outcome of the n-th accepted task; by default none. */
  outcome: (n: number) => JsonObject;
  /** Serves everything below `/picture`; by default one red pixel. */
  showPicture: (req: IncomingMessage, res: ServerResponse) => void;
  /** Polls are answered when this resolves. */
  polled: () => Promise<void>;
  /** HTTP status of answers to polls; 200 at the start. */
  pollStatus: number;
  close(): Promise<void>;
}

/** One red pixel. */
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);

/** Starts it on a free port. */
export async function startFakeTasks(): Promise<FakeTasks> {
  const tasks = new Map<string, JsonObject>();
  const requests: SeenTask[] = [];
  const next: { status: number; body: unknown }[] = [];
  const fake: FakeTasks = {
    url: '',
    tasks,
    requests,
    answerNext: (status, body) => void next.push({ status, body }),
    outcome: () => ({}),
    polled: () => Promise.resolve(),
    showPicture: (_req, res) => res.writeHead(200, { 'content-type': 'image/png' }).end(picture),
    pollStatus: 200,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  const server = createServer((req, res) => {
    void answer(req, res);
  });
  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const path = req.url ?? '/';
    const sent = await text(req);
    const body = sent === '' ? {} : (JSON.parse(sent) as JsonObject);
    requests.push({ method: req.method ?? '', path, headers: req.headers, body });
    const say = (status: number, value: unknown): void => {
      res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    };
    if (path.startsWith('/picture')) return fake.showPicture(req, res);
    if (path.endsWith('/image-seed')) return say(200, { code: 1, description: 'ok', result: '4242' });
    const ids = Array.isArray(body.ids) ? body.ids.map(String) : [];
    const found = ids.flatMap((id) => tasks.get(id) ?? []);
    if (ids.length > 0) await fake.polled();
    if (path === '/mj/task/list-by-condition') return say(fake.pollStatus, found);
    if (path === '/suno/fetch') return say(fake.pollStatus, { code: 'success', message: '', data: found });
    const own = next.shift();
    if (own) return say(own.status, own.body);
    const id = `vendor-${requests.length}`;
    const isSong = path.startsWith('/suno/');
    tasks.set(
      id,
      isSong
        ? { task_id: id, status: 'SUBMITTED', progress: '0%', ...fake.outcome(requests.length) }
        : { id, status: 'SUBMITTED', progress: '0%', ...fake.outcome(requests.length) },
    );
    if (isSong) say(200, { code: 'success', message: '', data: id });
    else say(200, { code: 1, description: '提交成功', result: id, properties: {} });
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  fake.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return fake;
}
