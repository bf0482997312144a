import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';

// A client of a task protocol never receives a web page, or an error in another protocol's format.

let gate: GatewayHarness;
let caller: TestCaller;
beforeAll(async () => {
  gate = await openGateway();
  caller = await gate.addCaller();
});
afterAll(() => gate.close());

const string = expect.any(String) as string;
const number = expect.any(Number) as number;
const openai = { error: { message: string, type: string } };
const suno = { code: string, message: string, data: null };
const kling = { code: number, message: string, request_id: string, data: null };

/** Base path of each protocol, and the shape of its refusals. Refusals of a key are OpenAI's for Midjourney's clients. */
const families = [
  { base: '/mj', shape: { description: string, type: string, code: 4 }, ofKey: openai },
  { base: '/mj-fast/mj', shape: { description: string, type: string, code: 4 }, ofKey: openai },
  { base: '/suno', shape: suno, ofKey: suno },
  { base: '/kling', shape: kling, ofKey: kling },
  { base: '/jimeng', shape: kling, ofKey: kling },
  { base: '/v1/videos', shape: openai, ofKey: openai },
  { base: '/v1/video', shape: openai, ofKey: openai },
];
const below = ['/nothing', '/a/b/c/d', '/v1/videos/lip-sync', '/index.html', '/submit', '/%00', '/task/1/x'];
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

const classes = families
  .flatMap((family) =>
    methods.flatMap((method) => below.map((rest) => ({ ...family, method, path: family.base + rest }))),
  )
  // The server looks for a video of that name and answers "not found" with the same text.
  .filter(({ base, path }) => base !== '/v1/videos' || path.split('/').length > 4);

interface Answer {
  status: number;
  headers: NodeJS.Dict<string | string[]>;
  body: string;
}

/** Sends the path unchanged: without the normalization of `fetch`. */
function send(method: string, path: string, headers: Record<string, string>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request(gate.url, { method, path, headers }, (answer) => {
      let body = '';
      answer.on('data', (chunk: Buffer) => (body += chunk.toString()));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body }));
    });
    asked.on('upgrade', () => reject(new Error('became a socket')));
    asked.on('error', reject);
    asked.end();
  });
}

/** The parts of a refusal that matter here. */
const seen = ({ status, headers, body }: Answer) => ({
  isRefusal: status >= 400,
  type: headers['content-type'],
  id: headers['x-tollgate-request-id'],
  body: JSON.parse(body) as object,
});
const refused = (body: object) => ({
  isRefusal: true,
  type: expect.stringMatching(/^application\/json/) as string,
  id: expect.stringMatching(/\S{10,}/) as string,
  body,
});

describe('an unknown path', () => {
  it.each(classes)(
    '$method $path is refused in the shape of its protocol',
    async ({ method, path, ...of }) => {
      const authorization = `Bearer ${caller.key}`;
      expect(seen(await send(method, path, { authorization }))).toMatchObject(refused(of.shape));
      const nobody = await send(method, path, {});
      const shape = nobody.status === 401 ? of.ofKey : of.shape;
      expect(seen(nobody)).toMatchObject(refused(shape));
    },
  );

  it.each(families)('$base is neither a page nor a socket', async ({ base, shape }) => {
    const authorization = `Bearer ${caller.key}`;
    const socket = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    };
    for (const path of [base, `${base}/`, `${base}/nothing/at/all`]) {
      if (path.startsWith('/v1/videos') && path.length < 12) continue;
      expect(seen(await send('GET', path, { authorization }))).toMatchObject(refused(shape));
      expect(seen(await send('GET', path, { authorization, ...socket }))).toMatchObject(refused(shape));
      expect(seen(await send('PUT', path, { authorization, accept: 'text/html' }))).toMatchObject(
        refused(shape),
      );
      const head = await send('HEAD', path, { authorization });
      expect([head.status >= 400, head.body, head.headers['content-type']]).toEqual([
        true,
        '',
        'application/json',
      ]);
    }
  });

  it('of a picture is refused in its clients’ shape, with the request id', async () => {
    const answer = await send('GET', '/mj/image/task_unknown', {});
    expect(seen(answer)).toMatchObject(refused({ error: 'midjourney_task_not_found' }));
  });
});
