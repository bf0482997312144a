import { afterEach, describe, expect, it, test } from 'vitest';
import { localGuard, wideBound } from '../testing/local-guard.ts';
import { call, exchange } from '../testing/direct-calls.ts';
import { type RawRequest, startRawUpstream } from '../testing/raw-upstream.ts';
import { Client } from './client.ts';

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

const ok = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
const stop = new Error('enough');

async function world(answer: (request: RawRequest) => void) {
  const upstream = await startRawUpstream(answer);
  const client = new Client({ guard: localGuard, bound: wideBound });
  open.push(upstream, client);
  return { upstream, client };
}

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('a call that is aborted', () => {
  test.each([
    ['start', ['start', 'error'], stop],
    ['head', ['start', 'head', 'error'], stop],
    ['data', ['start', 'head', 'data', 'error'], stop],
    ['end', ['start', 'head', 'data', 'end'], undefined],
  ])('at its %s gets %j', async (at, heard, error) => {
    const { upstream, client } = await world(({ socket }) => socket.write(ok));
    const listener = call(client, upstream.url, {}, (what, { controller }) => {
      if (what === at) controller.abort(stop);
    });
    await listener.done;
    listener.controller.abort(new Error('once more'));
    await wait(10);
    expect([listener.heard, listener.error]).toEqual([heard, error]);
  });

  it.each(['head', 'data'])('at its %s has its connection closed', async (at) => {
    const { upstream, client } = await world(({ socket }) => socket.write(ok));
    const listener = call(client, upstream.url, {}, (what, { controller }) => {
      if (what === at) controller.abort(stop);
    });
    await listener.done;
    await expect.poll(() => upstream.open.size).toBe(0);
  });

  it('before it began opens no connection', async () => {
    const { upstream, client } = await world(({ socket }) => socket.write(ok));
    await call(client, upstream.url, {}, (_, { controller }) => controller.abort(stop)).done;
    await wait(10);
    expect(upstream.connections).toBe(0);
  });

  it('is notified before abort returns', async () => {
    const { upstream, client } = await world(({ socket }) => socket.write('HTTP/1.1 200 OK\r\n\r\nab'));
    const listener = call(client, upstream.url);
    await expect.poll(() => listener.bytes).toBe(2);
    listener.controller.abort(stop);
    expect(listener.error).toBe(stop);
  });

  it('while it connects sends nothing', async () => {
    const { upstream, client } = await world(({ socket }) => socket.write(ok));
    const listener = call(client, upstream.url);
    listener.controller.abort(stop);
    expect(listener.heard).toEqual(['start', 'error']);
    await wait(30);
    expect([upstream.requests.length, upstream.open.size]).toEqual([0, 0]);
  });

  it('while it waits for its answer ends the connection', async () => {
    const { upstream, client } = await world(() => undefined);
    const listener = call(client, upstream.url);
    await expect.poll(() => upstream.requests.length).toBe(1);
    listener.controller.abort(stop);
    await expect.poll(() => upstream.open.size).toBe(0);
  });

  it('when it is over does not affect the next call on its connection', async () => {
    const { upstream, client } = await world(({ socket, text }) => {
      if (text.includes('/quick')) socket.write(ok);
      else setTimeout(() => socket.write(ok), 30);
    });
    const old = await exchange(client, `${upstream.url}/quick`);
    await wait(5);
    const next = call(client, `${upstream.url}/slow`);
    await expect.poll(() => upstream.requests.length).toBe(2);
    old.controller.abort(stop);
    old.controller.pause();
    await next.done;
    expect([next.body, upstream.connections]).toEqual(['ok', 1]);
  });
});

describe('a handler that throws', () => {
  test.each(['start', 'head', 'data', 'end'])('at the %s gets its own error', async (at) => {
    const { upstream, client } = await world(({ socket }) => socket.write(ok));
    const broken = new Error('handler');
    const listener = call(client, upstream.url, {}, (what) => {
      if (what === at) throw broken;
    });
    await listener.done;
    await expect.poll(() => listener.error).toBe(broken);
    // Other calls continue.
    expect((await exchange(client, upstream.url)).body).toBe('ok');
  });
});

describe('a call that is paused', () => {
  const size = 30_000_000;
  const big = ({ socket }: RawRequest) => {
    socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${size}\r\n\r\n`);
    socket.write(Buffer.alloc(size, 'x'));
  };

  it.each(['start', 'head', 'data'])('at its %s reads no further, and later all of it', async (at) => {
    const { upstream, client } = await world(big);
    const listener = call(client, upstream.url, {}, (what, { controller, bytes }) => {
      if (what === at && bytes < 1_000_000) controller.pause();
    });
    await expect.poll(() => listener.status).toBe(200);
    await wait(100);
    const { bytes } = listener;
    expect(bytes).toBeLessThan(2_000_000);
    await wait(50);
    expect(listener.bytes).toBe(bytes);
    listener.onHear = () => undefined;
    listener.controller.resume();
    await listener.done;
    expect([listener.error, listener.bytes]).toEqual([undefined, size]);
  });

  it('again and again gets every byte, and its connection can be reused', async () => {
    const { upstream, client } = await world((request) => {
      if (request.text.includes('/big')) big(request);
      else request.socket.write(ok);
    });
    let count = 0;
    const listener = call(client, `${upstream.url}/big`, {}, (what, { controller }) => {
      count += 1;
      if (what !== 'data') return;
      controller.pause();
      if (count % 3 === 0) setImmediate(() => controller.resume());
      else if (count % 3 === 1) process.nextTick(() => controller.resume());
      else controller.resume();
    });
    await listener.done;
    expect([listener.error, listener.bytes]).toEqual([undefined, size]);
    await wait(5);
    expect((await exchange(client, upstream.url)).body).toBe('ok');
    expect(upstream.connections).toBe(1);
  });

  it.each(['at once', 'a moment later'])('%s does not time out, however long it is paused', async (when) => {
    const { upstream, client } = await world(({ socket }) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nab');
      setTimeout(() => socket.write('cd'), 20);
    });
    const listener = call(client, upstream.url, { bodyTimeoutMs: 100 }, (what, { controller }) => {
      if (what !== 'data') return;
      if (when === 'at once') controller.pause();
      else process.nextTick(() => controller.pause());
    });
    await wait(250);
    expect(listener.heard).toEqual(['start', 'head', 'data']);
    listener.onHear = () => undefined;
    listener.controller.resume();
    await listener.done;
    expect([listener.error, listener.body]).toEqual([undefined, 'abcd']);
  });

  it('and resumed times out again when nothing arrives', async () => {
    const { upstream, client } = await world(({ socket }) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nab');
    });
    const listener = call(client, upstream.url, { bodyTimeoutMs: 100 }, (what, { controller }) => {
      if (what === 'data') controller.pause();
    });
    await wait(150);
    listener.controller.resume();
    await listener.done;
    expect(listener.error?.message).toContain('timeout');
  });
});

describe('the timeout of a call', () => {
  it('applies when there is no head in time, whatever came before it', async () => {
    const { upstream, client } = await world(({ socket }) =>
      socket.write('HTTP/1.1 103 Hints\r\n\r\nHTTP/1.1 200'),
    );
    const heard = await exchange(client, upstream.url, { headersTimeoutMs: 50 });
    expect([heard.heard, heard.error?.message]).toEqual([
      ['start', 'error'],
      'timeout: no answer within 50 ms',
    ]);
    await expect.poll(() => upstream.open.size).toBe(0);
  });

  it('applies between parts of the body, and not while they arrive', async () => {
    const { upstream, client } = await world(({ socket }) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      // The total time is longer than the limit. The gaps leave room for delays on a busy machine.
      for (let index = 1; index <= 8; index += 1) setTimeout(() => socket.write('x'), index * 100);
    });
    const heard = await exchange(client, upstream.url, { bodyTimeoutMs: 600 });
    expect([heard.body, heard.error?.message]).toEqual([
      'xxxxxxxx',
      'timeout: no byte of the answer for 600 ms',
    ]);
  });

  it('is infinite where none is set', async () => {
    const { upstream, client } = await world(({ socket }) => {
      setTimeout(() => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n'), 60);
      setTimeout(() => socket.write('ok'), 120);
    });
    expect((await exchange(client, upstream.url)).body).toBe('ok');
  });

  it('does not include the time of the call before it on its connection', async () => {
    const { upstream, client } = await world(({ socket }) => setTimeout(() => socket.write(ok), 500));
    await exchange(client, upstream.url, { headersTimeoutMs: 900 });
    await wait(5);
    expect((await exchange(client, upstream.url, { headersTimeoutMs: 900 })).body).toBe('ok');
    expect(upstream.connections).toBe(1);
  });
});

describe('an upstream that', () => {
  test.each([
    ['breaks off before its head', 'HTTP/1.1 200', ['start', 'error']],
    [
      'breaks off in its body',
      'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nab',
      ['start', 'head', 'data', 'error'],
    ],
    [
      'breaks off between chunks',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n',
      ['start', 'head', 'data', 'error'],
    ],
    ['ends with its connection', 'HTTP/1.1 200 OK\r\n\r\nab', ['start', 'head', 'data', 'end']],
    ['says something else', '220 mail.example ESMTP\r\n\r\n', ['start', 'error']],
    [
      'errs in the middle',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\nwhat',
      ['start', 'head', 'data', 'error'],
    ],
  ])('%s gets this outcome', async (_, answer, heard) => {
    const { upstream, client } = await world(({ socket }) => socket.end(answer));
    const listener = await exchange(client, upstream.url);
    expect(listener.heard).toEqual(heard);
    await expect.poll(() => upstream.open.size).toBe(0);
  });

  it('resets the connection of an answer without an end has it fail', async () => {
    const { upstream, client } = await world(({ socket }) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\nab');
      setTimeout(() => socket.resetAndDestroy(), 20);
    });
    const heard = await exchange(client, upstream.url);
    expect([heard.body, heard.error]).toMatchObject(['ab', { code: 'ECONNRESET' }]);
  });

  it('answers before it has read everything has its answer read, and the connection is not reused', async () => {
    const { upstream, client } = await world(() => undefined);
    const big = call(client, upstream.url, { body: Buffer.alloc(60_000_000) });
    await expect.poll(() => upstream.open.size).toBe(1);
    const [socket] = upstream.open;
    socket!.pause();
    socket!.write('HTTP/1.1 413 Too Large\r\ncontent-length: 0\r\n\r\n');
    await big.done;
    expect([big.status, big.error]).toEqual([413, undefined]);
    socket!.resume();
    await expect.poll(() => upstream.open.size).toBe(0);
  });
});
