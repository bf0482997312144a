import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { textOf } from '../../../lib/json.ts';
import { openTaskWorld, type TaskWorld } from '../../../testing/upstream/tasks/task-world.ts';

let world: TaskWorld;
beforeEach(async () => {
  world = await openTaskWorld();
});
afterEach(() => world.close());

/** A drawing with its picture at the vendor below `/picture`; returns its address at this site. */
async function drawn(imageUrl = `${world.vendor.url}/picture/1.png`): Promise<string> {
  const { body } = await world.call('/mj/submit/imagine', { prompt: 'a cat' });
  await world.report({ status: 'SUCCESS', progress: '100%', imageUrl });
  return `${world.gate.url}/mj/image/${textOf(body.result)}`;
}

/** Requests it and returns its answer unread. */
const open = (address: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => request(address, resolve).on('error', reject).end());

const mb = 1024 * 1024;

describe('a picture', () => {
  it('is public by its address, without a key, cacheable and never executable', async () => {
    const answer = await fetch(await drawn());
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(answer.headers.get('cache-control')).toBe('public, max-age=86400');
    expect(answer.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
    expect(answer.headers.get('x-tollgate-request-id')).toMatch(/\S{10,}/);
    expect(
      Buffer.from(await answer.arrayBuffer())
        .subarray(1, 4)
        .toString(),
    ).toBe('PNG');
  });

  it.each(['text/html', 'application/javascript', 'image/', 'imagetext/html', ''])(
    'that its vendor labels “%s” passes as a picture',
    async (type) => {
      world.vendor.showPicture = (_req, res) =>
        res.writeHead(200, type === '' ? {} : { 'content-type': type }).end('<script>');
      const answer = await fetch(await drawn());
      expect(answer.headers.get('content-type')).toBe('image/jpeg');
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    },
  );

  it('is sent in part where its vendor supports ranges', async () => {
    world.vendor.showPicture = (req, res) => {
      expect(req.headers.range).toBe('bytes=2-4');
      res.writeHead(206, { 'content-type': 'image/png', 'content-range': 'bytes 2-4/10' }).end('234');
    };
    const answer = await fetch(await drawn(), { headers: { range: 'bytes=2-4' } });
    expect([answer.status, answer.headers.get('content-range'), await answer.text()]).toEqual([
      206,
      'bytes 2-4/10',
      '234',
    ]);
  });

  it.each([404, 500, 302])(
    'that its vendor answers with %i is refused in Midjourney’s shape',
    async (status) => {
      world.vendor.showPicture = (_req, res) => res.writeHead(status, { location: '/elsewhere' }).end('gone');
      const answer = await fetch(await drawn());
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(await answer.json()).toMatchObject({ description: expect.any(String) as string, code: 4 });
    },
  );

  it('at an address within the network is refused unless its channel is there', async () => {
    const elsewhere = createServer((_req, res) => res.end('secret')).listen(0, '127.0.0.1');
    await once(elsewhere, 'listening');
    const { port } = elsewhere.address() as AddressInfo;
    const answer = await fetch(await drawn(`http://127.0.0.1:${port}/picture`));
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(await answer.text()).not.toContain('secret');
    elsewhere.close();
  });
});

describe('a large picture', () => {
  const size = 96 * mb;
  let sent: number;
  const pour = async (res: ServerResponse, bytes: number): Promise<void> => {
    const chunk = Buffer.alloc(256 * 1024, 7);
    while (sent < bytes && !res.destroyed) {
      sent += chunk.length;
      const room = Promise.withResolvers<void>();
      res.write(chunk, () => room.resolve());
      await room.promise;
    }
  };
  beforeEach(() => {
    sent = 0;
  });

  it('is read as fast as its caller reads, and is not buffered', async () => {
    world.vendor.showPicture = (_req, res) => {
      res.writeHead(200, { 'content-type': 'image/png', 'content-length': size });
      void pour(res, size).then(() => res.end());
    };
    const answer = await open(await drawn());
    expect(answer.headers['content-length']).toBe(String(size));
    let before = -1;
    // The reader has read nothing yet: the vendor stops sending when the buffers in between are full.
    await vi.waitUntil(() => sent > 0 && sent === (before === sent ? sent : ((before = sent), -1)), {
      timeout: 30_000,
      interval: 300,
    });
    expect(sent).toBeLessThan(size / 3);
    let read = 0;
    for await (const chunk of answer) read += (chunk as Buffer).length;
    expect(read).toBe(size);
  });

  it('that breaks off is a broken answer, never a complete one', async () => {
    world.vendor.showPicture = (_req, res) => {
      res.writeHead(200, { 'content-type': 'image/png', 'content-length': size });
      void pour(res, 2 * mb).then(() => res.destroy());
    };
    const answer = await open(await drawn());
    const readAll = async (): Promise<void> => {
      for await (const _ of answer);
    };
    await expect(readAll()).rejects.toThrow('aborted');
  });

  it('is cancelled when its reader leaves', async () => {
    const left = Promise.withResolvers<void>();
    world.vendor.showPicture = (_req, res) => {
      res.once('close', () => left.resolve());
      res.writeHead(200, { 'content-type': 'image/png' });
      void pour(res, size);
    };
    const answer = await open(await drawn());
    answer.destroy();
    await left.promise;
    expect(sent).toBeLessThan(size);
  });
});

it('is fetched through the channel’s proxy', async () => {
  const seen: string[] = [];
  const proxy = createServer();
  proxy.on('connect', (req, socket, head) => {
    seen.push(`${req.url} ${req.headers['proxy-authorization']}`);
    const target = connect(Number(new URL(world.vendor.url).port), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      target.write(head);
      socket.pipe(target).pipe(socket);
    });
    socket.on('error', () => target.destroy());
    target.on('error', () => socket.destroy());
  });
  proxy.on('request', (req, res) => {
    seen.push(`${new URL(req.url ?? '').host} ${req.headers['proxy-authorization']}`);
    const { pathname } = new URL(req.url ?? '');
    const onward = request(
      world.vendor.url + pathname,
      { method: req.method, headers: req.headers },
      (answer) => {
        res.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(res);
      },
    );
    req.pipe(onward);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const { port } = proxy.address() as AddressInfo;
  await world.gate.core.channels.remove([world.drawing]);
  await world.gate.addChannel({
    type: 2,
    key: 'mj-secret',
    models: 'mj_imagine',
    base_url: 'http://vendor.test:81',
    setting: JSON.stringify({ proxy: `http://me:secret@127.0.0.1:${port}` }),
  });
  const address = await drawn('http://vendor.test:81/picture/1.png');
  seen.length = 0;
  const answer = await fetch(address);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png']);
  expect(seen).toEqual([`vendor.test:81 Basic ${Buffer.from('me:secret').toString('base64')}`]);
  proxy.closeAllConnections();
  proxy.close();
});
