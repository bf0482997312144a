import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { logs } from '../store/index.ts';
import * as faults from '../testing/upstream/fake-upstream-faults.ts';
import { type Behaviour, chat, json } from '../testing/upstream/fake-upstream-scripts.ts';
import { chatBody, usageBody } from '../testing/upstream/fake-upstream-wire.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../testing/gateway-harness.ts';
import { sized } from '../testing/scoreboard-size.ts';

// The rows of docs/reliability.md that need no second process, by number.

const balance = 5_000_000;
let gate: GatewayHarness;
let caller: TestCaller;
const sockets: Socket[] = [];

beforeAll(async () => {
  gate = await openGateway({ STREAMING_TIMEOUT: '1', RELAY_TIMEOUT: '1', MAX_REQUEST_BODY_MB: '1' });
  await gate.addChannel();
  caller = await gate.addCaller({ balance });
});
afterAll(() => gate.close());
afterEach(endQuietly);

/** After every test no call is running, no hold is left and the books balance. */
async function endQuietly(): Promise<void> {
  for (const socket of sockets.splice(0)) socket.destroy();
  gate.upstream.script('healthy');
  await expect.poll(() => gate.relay.gateway.running.size).toBe(0);
  await gate.checkAtRest();
}

const ask = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Say something.' }] };

/** One call over HTTP; the result of a broken connection is `broken`. */
async function call(body: object = ask, init: RequestInit = {}) {
  const answer = await fetch(`${gate.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...init,
  });
  const text = await answer.text().catch(() => 'broken');
  return { status: answer.status, headers: answer.headers, text };
}

const callStream = () => call({ ...ask, stream: true });

/** Charge of the caller since the last check. */
async function spent(): Promise<number> {
  const { rows } = await logs.list(
    gate.core.store.db,
    { userId: caller.userId },
    { offset: 0, limit: 1_000 },
  );
  return rows.reduce((sum, row) => sum + row.quota, 0);
}

async function expectFree(work: () => Promise<unknown>): Promise<void> {
  const before = await spent();
  await work();
  await expect.poll(() => gate.relay.gateway.running.size).toBe(0);
  expect(await spent()).toBe(before);
}

/** Sends raw bytes. Returns the response up to the close of the connection or a pause of the gateway. */
function raw(bytes: string | Buffer, silenceMs = 300): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(gate.url).port), '127.0.0.1', () => socket.write(bytes));
    sockets.push(socket);
    let text = '';
    const done = () => resolve(text);
    socket.setTimeout(silenceMs, done);
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.on('close', done);
    socket.on('error', done);
  });
}

describe('an upstream that', () => {
  it.each([false, true])('U2: never answers is timed out and costs nothing (stream: %s)', async (stream) => {
    gate.upstream.script('stall-before-headers');
    await expectFree(async () => {
      const { status, text } = await call({ ...ask, stream });
      expect(status).toBe(502);
      expect(JSON.parse(text)).toHaveProperty('error.code', 'do_request_failed');
    });
  });

  it.each(['end-without-done', 'fin-without-done', 'cut-mid-event', 'cut-mid-character'] as const)(
    'U4: breaks off (%s) after some text leaves no answer that looks whole, unless it had reported its end',
    async (name) => {
      gate.upstream.script(name);
      const { text } = await callStream();
      const hadFinished = name === 'end-without-done';
      expect(text.includes('"error"') || text === 'broken').toBe(!hadFinished);
      expect(text.includes('"finish_reason":"stop"')).toBe(hadFinished);
    },
  );

  it('U5: sends a byte at a time is passed on byte for byte', async () => {
    gate.upstream.script(chat({ chunks: 2 }));
    const whole = await callStream();
    gate.upstream.script(faults.drip(0, { chunks: 2 }));
    const dripped = await callStream();
    expect(dripped.text).toBe(whole.text);
    expect(dripped.text.endsWith('data: [DONE]\n\n')).toBe(true);
  });

  const garbage: Record<string, Behaviour> = {
    'an HTML page': faults.body('<html>maintenance</html>', 'text/html'),
    'half a JSON': faults.body('{"id":"x","choices":['),
    nothing: faults.body(''),
    'JSON that is no answer': faults.body('[1,2,3]'),
    'an error within a 200': faults.body('{"error":{"message":"no","type":"server_error"}}'),
  };
  it.each(Object.keys(garbage))(
    'U6: answers 200 with %s is a failing channel and costs nothing',
    async (name) => {
      gate.upstream.script(garbage[name]!);
      await expectFree(async () => {
        const { status, text } = await call();
        expect(status).toBeGreaterThanOrEqual(400);
        expect(JSON.parse(text)).toHaveProperty('error.message');
      });
    },
  );

  it.each([-5, 5])('U7: miscounts its bytes by %d affects no later call', async (by) => {
    gate.upstream.script(faults.wrongLength(by));
    await call();
    gate.upstream.script(chat({ text: () => 'mine ' }));
    const next = await call();
    expect(next.status).toBe(200);
    expect(next.text).toContain('mine mine');
  });

  it('U7: sends a second answer that was not requested: no caller ever receives it', async () => {
    gate.upstream.script('two-answers');
    const first = await call();
    gate.upstream.script(chat({ text: () => 'mine ' }));
    for (let round = 0; round < 5; round += 1) {
      const next = await call();
      expect(next.status).toBe(200);
      expect(next.text).toContain('mine mine');
      expect(next.text).not.toContain('stray');
    }
    expect(first.text).not.toContain('stray');
  });

  it('U8: sends one line of 50 MB, or a million events, is passed or refused without buffering it in memory', async () => {
    const before = process.memoryUsage().rss;
    let peak = before;
    const timer = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().rss);
    }, 10);
    for (const script of [faults.hugeLine(50 * 1024 * 1024), faults.tinyEvents(200_000)]) {
      gate.upstream.script(script);
      const answer = await fetch(`${gate.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${caller.key}` },
        body: JSON.stringify({ ...ask, stream: true }),
      });
      try {
        for await (const _ of answer.body!);
      } catch {
        // A broken connection is one way to refuse it.
      }
    }
    clearInterval(timer);
    // The upstream and the caller run in this process too and use a share.
    expect(peak - before).toBeLessThan(256 * 1024 * 1024);
  });

  it('U8: sends thousands of headers is refused, and the next call works', async () => {
    gate.upstream.script(faults.hostileHeaders(10_000));
    await expectFree(async () => expect((await call()).status).toBe(502));
    gate.upstream.script('healthy');
    expect((await call()).status).toBe(200);
  });

  it.each(['0', '7', '1000000000', 'soon'])(
    'U9: asks to wait "%s" seconds has its Retry-After passed on if it can be read',
    async (asked) => {
      gate.upstream.script(faults.refuse(429, { retryAfter: asked }));
      await expectFree(async () => {
        const { status, headers } = await call();
        expect(status).toBe(429);
        const reported = Number(headers.get('retry-after') ?? 0);
        // Neither a word nor a wait of decades is forwarded.
        expect(reported).toBe(asked === '7' ? 7 : 0);
      });
    },
  );

  it.each([
    ['negative', usageBody(-1000, -1000)],
    ['fractional', usageBody(10.7, 3.2)],
    ['text', { prompt_tokens: '10', completion_tokens: '5' }],
    ['beyond all numbers', { prompt_tokens: 1e300, completion_tokens: 2 ** 63 }],
    ['more cached than there was', { ...usageBody(10, 5), prompt_tokens_details: { cached_tokens: 99_999 } }],
    ['an array', []],
    ['empty', {}],
  ])('U10: reports usage that is %s never causes a credit', async (_name, usage) => {
    const before = await gate.readBalance(caller);
    gate.upstream.script(json(chatBody('gpt-4o-mini', 'word0 ', usage as Record<string, unknown>)));
    expect((await call()).status).toBe(200);
    await expect.poll(() => gate.relay.gateway.running.size).toBe(0);
    await gate.core.ledger.flush();
    const after = await gate.readBalance(caller);
    expect(after.balance).toBeLessThanOrEqual(before.balance);
    expect(after.balance).toBeGreaterThanOrEqual(0);
    await gate.core.ledger.credit({
      txn: `gift:again-${_name}`,
      kind: 'gift',
      accountId: caller.accountId,
      userId: caller.userId,
      amount: Math.max(1, before.balance - after.balance),
    });
  });

  it('U11: sends headers that only the gateway may set has them removed', async () => {
    gate.upstream.script('hostile-headers');
    const { status, headers } = await call();
    expect(status).toBe(200);
    const forbidden = ['set-cookie', 'location', 'refresh', 'x-accel-redirect', 'server'];
    expect(forbidden.filter((name) => headers.has(name))).toEqual([]);
  });
});

describe('U12: a channel that points back at the gateway', () => {
  it('is stopped at the second hop and costs nothing', async () => {
    const loop = await openGateway();
    try {
      await loop.addChannel({ base_url: loop.url, key: 'sk-loop' });
      const who = await loop.addCaller();
      const answer = await fetch(`${loop.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${who.key}` },
        body: JSON.stringify(ask),
      });
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(loop.upstream.requests).toHaveLength(0);
      await expect.poll(() => loop.relay.gateway.running.size).toBe(0);
      await loop.core.ledger.flush();
      expect(await loop.readBalance(who)).toEqual({ balance, held: 0 });
    } finally {
      await loop.close();
    }
  });
});

describe('a caller who', () => {
  it('C4: stops reading makes the upstream wait instead of filling memory', async () => {
    gate.upstream.script(faults.tinyEvents(1_000_000));
    const body = JSON.stringify({ ...ask, stream: true });
    const index = gate.upstream.requests.length;
    const socket = connect(Number(new URL(gate.url).port), '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => {});
    socket.pause();
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${caller.key}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    const request = await gate.upstream.arrived(index);
    let seen = -1;
    await expect
      .poll(
        () => {
          const isStill = request.bytesWritten === seen && seen > 0;
          seen = request.bytesWritten;
          return isStill;
        },
        { interval: 250, timeout: 10_000 },
      )
      .toBe(true);
    // Capacity of the socket buffers on both sides; the whole answer would be about 60 MB.
    expect(seen).toBeLessThan(24 * 1024 * 1024);
    socket.destroy();
    await request.finished;
    expect(request.cutByPeer).toBe(true);
  });

  it('C3: leaves as soon as the end arrives pays the whole answer, as any other', async () => {
    gate.upstream.script('healthy');
    const before = await spent();
    const body = JSON.stringify({ ...ask, stream: true });
    for (let turn = 0; turn < 20; turn += 1) {
      const socket = connect(Number(new URL(gate.url).port), '127.0.0.1');
      sockets.push(socket);
      socket.on('error', () => {});
      socket.write(
        `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${caller.key}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
      let text = '';
      for await (const chunk of socket) {
        text += String(chunk);
        if (text.includes('data: [DONE]')) break;
      }
      socket.destroy();
      expect(text).toContain('data: [DONE]');
    }
    await expect.poll(() => gate.relay.gateway.running.size).toBe(0);
    await gate.core.ledger.flush();
    const rows = await logs.list(gate.core.store.db, { userId: caller.userId }, { offset: 0, limit: 20 });
    expect(rows.rows.map(({ other }) => (JSON.parse(other) as { end_reason: string }).end_reason)).toEqual(
      Array.from({ length: 20 }, () => 'complete'),
    );
    const price = rows.rows[0]!.quota;
    expect(await spent()).toBe(before + 20 * price);
  });

  it('C5: is one of many that do not read delays no other caller', async () => {
    gate.upstream.script(faults.tinyEvents(1_000_000));
    const crowd = sized(200, 10);
    const body = JSON.stringify({ ...ask, stream: true });
    const index = gate.upstream.requests.length;
    for (let i = 0; i < crowd; i += 1) {
      const socket = connect(Number(new URL(gate.url).port), '127.0.0.1');
      sockets.push(socket);
      socket.on('error', () => {});
      socket.pause();
      socket.write(
        `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${caller.key}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
    }
    await gate.upstream.arrived(index + crowd - 1);
    gate.upstream.script('healthy');
    // One call while the other calls are certain to be running. Its own duration is short, shorter than twenty calls
    // on a busy machine.
    expect((await call()).status).toBe(200);
    expect(gate.relay.gateway.running.size).toBeGreaterThan(0);
    const answers = await Promise.all(Array.from({ length: 20 }, () => call()));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
  });

  it('C6: sends too much, too deep, doubled or disguised is refused with the reason, and pays nothing', async () => {
    const messages = '[{"role":"user","content":"x"}]';
    const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;
    const bodies: Record<string, string> = {
      'a model named twice': `{"model":"gpt-4o-mini","messages":${messages},"model":"gpt-4o"}`,
      'a key in disguise': `{"model":"gpt-4o-mini","messages":${messages},"\\u006dodel":"gpt-4o"}`,
      'no messages': '{"model":"gpt-4o-mini"}',
      'half a text': '{"model":"gpt-4o-mini","messages":[{"role":"us',
      'a list': deep,
    };
    await expectFree(async () => {
      const answers: Record<string, number> = {};
      for (const [name, body] of Object.entries(bodies)) answers[name] = (await call(ask, { body })).status;
      expect(answers).toEqual(Object.fromEntries(Object.keys(bodies).map((name) => [name, 400])));
      expect((await call(ask, { body: 'x'.repeat(2 * 1024 * 1024) })).status).toBe(413);
      const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, 0x20));
      const headers = { authorization: `Bearer ${caller.key}`, 'content-encoding': 'gzip' };
      expect((await call(ask, { body: bomb, headers })).status).toBe(413);
      const nested = `{"model":"gpt-4o-mini","messages":${messages},"metadata":${deep}}`;
      expect((await call(ask, { body: nested })).status).toBe(413);
    });
  });

  it('C6: names a prototype changes nothing but their own body', async () => {
    const body = `{"model":"gpt-4o-mini","messages":[{"role":"user","content":"x"}],"__proto__":{"stream":true}}`;
    const { status, text } = await call(ask, { body });
    expect(status).toBeLessThan(500);
    expect(text.startsWith('data:')).toBe(false);
    expect(({} as Record<string, unknown>)['stream']).toBeUndefined();
  });

  const line = 'POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\n';
  it.each([
    [
      'length and chunks',
      `${line}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /v1/models HTTP/1.1\r\n`,
    ],
    ['two lengths', `${line}Content-Length: 4\r\nContent-Length: 6\r\n\r\nabcdef`],
    ['chunked with a blank', `${line}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n`],
    ['an unknown coding', `${line}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`],
    ['a folded header', `${line}X-A: 1\r\n folded\r\nContent-Length : 0\r\n\r\n`],
    ['a bare line feed', `POST /v1/chat/completions HTTP/1.1\nHost: x\nContent-Length: 0 0\n\n`],
  ])('C7: smuggles with %s is cut off with 400', async (_name, bytes) => {
    const answer = await raw(bytes);
    expect(answer.startsWith('HTTP/1.1 400')).toBe(true);
    expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1);
  });
});
