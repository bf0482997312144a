import { createServer as createHttpServer, request as requestHttp } from 'node:http';
import { createSecureServer, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import {
  makeTestCertificate,
  type RawRequest,
  type RawUpstream,
  startRawUpstream,
  trustCertificate,
} from '@tollgate/http-engine/testing';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type Answer,
  type AnswerHandler,
  type Controller,
  createHttp,
  type Http,
  type HttpEngine,
  NoFreeConnection,
  type Outgoing,
} from './http.ts';

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

const ok = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
const long = 60_000;

const post = (url: string, more: Partial<Outgoing> = {}): Outgoing => ({
  method: 'POST',
  url,
  headers: {},
  scope: 'operator',
  headersTimeoutMs: 10_000,
  bodyTimeoutMs: 10_000,
  ...more,
});

function client(engine: HttpEngine, connections: number, waitMs = long): Http {
  const http = createHttp(undefined, { engine, bound: { connections, waitMs } });
  open.push(http);
  return http;
}

async function upstream(answer: (request: RawRequest) => void): Promise<RawUpstream> {
  const started = await startRawUpstream(answer);
  open.push(started);
  return started;
}

/** Calls that are answered on command of the test. */
async function patientUpstream(text = ok): Promise<RawUpstream & { answer(count: number): void }> {
  const held: RawRequest[] = [];
  const started = await upstream((request) => void held.push(request));
  const answer = (count: number): void => {
    for (const { socket } of held.splice(0, count)) socket.write(text);
  };
  return Object.assign(started, { answer });
}

const pathsOf = ({ requests }: RawUpstream) => requests.map(({ text }) => text.split(' ')[1]);

/** Outcome of a call, and the function that ends it. */
interface Started {
  done: Promise<Answer | Error>;
  abort(): void;
}

function begin(http: Http, call: Outgoing): Started {
  const controller = new AbortController();
  return {
    done: http.request(call, 1_000, controller.signal).catch((error: Error) => error),
    abort: () => controller.abort(),
  };
}

const statusOf = (end: Answer | Error) => (end instanceof Error ? end.name : end.status);
const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

describe.each(['lean', 'node'] as const)('connections to one upstream (%s)', (engine) => {
  it('never exceed the bound, and all calls are answered', async () => {
    let most = 0;
    const far = await upstream(({ socket }) => {
      most = Math.max(most, far.open.size);
      setImmediate(() => socket.write(ok));
    });
    const http = client(engine, 5);
    const statuses: unknown[] = [];
    const rounds = Array.from({ length: 10 }, async () => {
      for (let round = 0; round < 20; round += 1)
        statuses.push(statusOf(await begin(http, post(far.url)).done));
    });
    await Promise.all(rounds);
    expect(statuses).toEqual(Array(200).fill(200));
    expect([most, far.connections]).toEqual([5, 5]);
  });

  it('that end with each answer are opened anew, within the bound', async () => {
    const far = await patientUpstream('HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok');
    const http = client(engine, 4);
    const calls = Array.from({ length: 8 }, () => begin(http, post(far.url)));
    for (let sent = 4; sent <= 8; sent += 1) {
      await expect.poll(() => far.requests.length).toBe(sent);
      await turns(20);
      expect([far.requests.length, far.connections]).toEqual([sent, sent]);
      far.answer(1);
    }
    far.answer(4);
    expect((await Promise.all(calls.map(({ done }) => done))).map(statusOf)).toEqual(Array(8).fill(200));
  });

  it('are given to waiting calls in the order of arrival', async () => {
    const far = await patientUpstream();
    const http = client(engine, 6);
    const calls = Array.from({ length: 12 }, (_, index) => begin(http, post(`${far.url}/${index}`)));
    for (let served = 6; served < 12; served += 1) {
      await expect.poll(() => far.requests.length).toBe(served);
      far.answer(1);
    }
    await expect.poll(() => far.requests.length).toBe(12);
    far.answer(6);
    expect((await Promise.all(calls.map(({ done }) => done))).map(statusOf)).toEqual(Array(12).fill(200));
    // The first calls connect at the same time; the later ones waited.
    expect(pathsOf(far).slice(6)).toEqual(['/6', '/7', '/8', '/9', '/10', '/11']);
  });

  it('are waited for by two calls each at most; one that leaves frees its place', async () => {
    const far = await patientUpstream();
    const http = client(engine, 1);
    const [first, second, third] = [1, 2, 3].map((path) => begin(http, post(`${far.url}/${path}`)));
    await expect.poll(() => far.requests.length).toBe(1);
    expect(await begin(http, post(`${far.url}/4`)).done).toBeInstanceOf(NoFreeConnection);
    second!.abort();
    expect(await second!.done).toMatchObject({ message: 'nobody waits for this answer' });
    const fifth = begin(http, post(`${far.url}/5`));
    for (let sent = 1; sent <= 3; sent += 1) {
      await expect.poll(() => far.requests.length).toBe(sent);
      far.answer(1);
    }
    const ends = await Promise.all([first, third, fifth].map((call) => call!.done));
    expect(ends.map(statusOf)).toEqual([200, 200, 200]);
    expect(pathsOf(far)).toEqual(['/1', '/3', '/5']);
  });

  it('are waited for a bounded time; a call that waited too long was never sent and holds nothing', async () => {
    const far = await patientUpstream();
    const http = client(engine, 2, 1);
    const held = [begin(http, post(`${far.url}/1`)), begin(http, post(`${far.url}/2`))];
    await expect.poll(() => far.requests.length).toBe(2);
    for (let round = 0; round < 3; round += 1) {
      const late = [begin(http, post(`${far.url}/late`)), begin(http, post(`${far.url}/late`))];
      for (const { done } of late) expect(await done).toBeInstanceOf(NoFreeConnection);
    }
    far.answer(2);
    expect((await Promise.all(held.map(({ done }) => done))).map(statusOf)).toEqual([200, 200]);
    await turns(5);
    const next = [begin(http, post(`${far.url}/3`)), begin(http, post(`${far.url}/4`))];
    await expect.poll(() => far.requests.length).toBe(4);
    far.answer(2);
    expect((await Promise.all(next.map(({ done }) => done))).map(statusOf)).toEqual([200, 200]);
    expect(pathsOf(far)).not.toContain('/late');
  });

  it('are free again after calls that were aborted or broken off', async () => {
    const held: RawRequest[] = [];
    const far = await upstream((request) => {
      if (request.text.startsWith('POST /broken')) request.socket.destroy();
      else held.push(request);
    });
    const http = client(engine, 3);
    const two = () => [begin(http, post(`${far.url}/aborted`)), begin(http, post(`${far.url}/aborted`))];
    for (let round = 1; round <= 3; round += 1) {
      const unsent = two();
      for (const call of unsent) call.abort();
      const sent = two();
      await expect.poll(() => held.length).toBe(2 * round);
      const broken = begin(http, post(`${far.url}/broken`));
      for (const call of sent) call.abort();
      for (const { done } of [...unsent, ...sent, broken]) expect(await done).toBeInstanceOf(Error);
    }
    held.length = 0;
    const calls = [1, 2, 3].map(() => begin(http, post(`${far.url}/good`)));
    await expect.poll(() => held.filter(({ text }) => text.startsWith('POST /good')).length).toBe(3);
    for (const { socket } of held) socket.write(ok);
    expect((await Promise.all(calls.map(({ done }) => done))).map(statusOf)).toEqual([200, 200, 200]);
    expect(far.open.size).toBeLessThanOrEqual(3);
  });

  it('that cannot be opened are free again, too', async () => {
    const gone = await startRawUpstream(() => undefined);
    await gone.close();
    const http = client(engine, 2);
    const ends = await Promise.all([1, 2, 3, 4].map(() => begin(http, post(gone.url)).done));
    expect(ends.map((end) => (end as NodeJS.ErrnoException).code)).toEqual(Array(4).fill('ECONNREFUSED'));
  });

  it('to another upstream are not affected', async () => {
    const busy = await patientUpstream();
    const free = await upstream(({ socket }) => socket.write(ok));
    const http = client(engine, 1);
    const held = begin(http, post(busy.url));
    await expect.poll(() => busy.requests.length).toBe(1);
    expect(statusOf(await begin(http, post(free.url)).done)).toBe(200);
    busy.answer(1);
    expect(statusOf(await held.done)).toBe(200);
  });

  it('fail for those who wait when the client closes', async () => {
    const far = await patientUpstream();
    const http = client(engine, 1);
    const calls = [begin(http, post(far.url)), begin(http, post(far.url))];
    await expect.poll(() => far.requests.length).toBe(1);
    await http.close();
    for (const { done } of calls) expect(await done).toBeInstanceOf(Error);
    await turns(5);
    expect([far.requests.length, far.connections]).toEqual([1, 1]);
  });

  it('through a proxy have the same bound', async () => {
    const far = await patientUpstream();
    let most = 0;
    let atWork = 0;
    const proxy = createHttpServer((req, res) => {
      atWork += 1;
      most = Math.max(most, atWork);
      const { pathname } = new URL(req.url!);
      const onward = requestHttp(far.url + pathname, { method: 'POST' }, (answer) => {
        atWork -= 1;
        answer.pipe(res);
      });
      onward.end();
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    open.push({ close: () => proxy.closeAllConnections() ?? proxy.close() });
    const via = { proxy: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` };
    const http = client(engine, 2);
    const calls = [1, 2, 3, 4, 5, 6].map((path) => begin(http, post(`${far.url}/${path}`, via)));
    await expect.poll(() => far.requests.length).toBe(2);
    expect(await begin(http, post(far.url, via)).done).toBeInstanceOf(NoFreeConnection);
    for (let sent = 2; sent <= 6; sent += 2) {
      await expect.poll(() => far.requests.length).toBe(sent);
      far.answer(2);
    }
    expect((await Promise.all(calls.map(({ done }) => done))).map(statusOf)).toEqual(Array(6).fill(200));
    expect(most).toBe(2);
  });
});

/** Aborts itself at its start. */
class Hasty implements AnswerHandler {
  readonly heard: string[] = [];
  onRequestStart(controller: Controller): void {
    controller.abort(new Error('never mind'));
  }
  onResponseStart(): void {
    this.heard.push('head');
  }
  onResponseData(): void {
    this.heard.push('data');
  }
  onResponseEnd(): void {
    this.heard.push('end');
  }
  onResponseError(_controller: Controller, error: Error): void {
    this.heard.push(error.message);
  }
}

describe('a call over HTTP/2', () => {
  it('counts as one, although it shares its connection', async () => {
    const certificate = makeTestCertificate();
    open.push({ close: trustCertificate(certificate.cert) });
    const streams: ServerHttp2Stream[] = [];
    const server = createSecureServer(certificate);
    server.on('stream', (stream) => void streams.push(stream));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    open.push(server);
    const url = `https://localhost:${(server.address() as AddressInfo).port}/`;
    const http = client('node', 3);
    const hasty = new Hasty();
    http.dispatch(post(url), hasty);
    expect(hasty.heard).toEqual(['never mind']);
    const calls = Array.from({ length: 9 }, () => begin(http, post(url)));
    await expect.poll(() => streams.length).toBe(3);
    expect(await begin(http, post(url)).done).toBeInstanceOf(NoFreeConnection);
    for (let sent = 3; sent <= 9; sent += 3) {
      await expect.poll(() => streams.length).toBe(sent);
      for (const stream of streams.slice(sent - 3)) stream.respond({ ':status': 200 }, { endStream: true });
    }
    expect((await Promise.all(calls.map(({ done }) => done))).map(statusOf)).toEqual(Array(9).fill(200));
  });
});
