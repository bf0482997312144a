import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, createGzip, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { type AnswerHandler, type Controller, createHttp, type Http, type Outgoing } from './http.ts';

// Unrequested compression of answers, over real sockets and by both engines.

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

async function serve(listener: RequestListener): Promise<string> {
  const server: Server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push({ close: () => server.closeAllConnections() ?? server.close() });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const get = (url: string): Outgoing => ({
  method: 'GET',
  url,
  headers: {},
  scope: 'operator',
  headersTimeoutMs: 20_000,
  bodyTimeoutMs: 20_000,
});

const text = 'A caller reads this. '.repeat(5_000);
const codings: Readonly<Record<string, (plain: string) => Buffer>> = {
  gzip: gzipSync,
  'x-gzip': gzipSync,
  GZIP: gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
  zstd: zstdCompressSync,
};

/** All events of a call, in order, until its end. */
class Heard implements AnswerHandler {
  readonly events: string[] = [];
  headers: Record<string, string | string[] | undefined> = {};
  body = '';
  controller!: Controller;
  readonly over = Promise.withResolvers<void>();
  onRequestStart(controller: Controller): void {
    this.controller = controller;
  }
  onResponseStart(_controller: Controller, status: number, headers: Heard['headers']): void {
    this.headers = headers;
    this.events.push(`head ${status}`);
  }
  onResponseData(_controller: Controller, chunk: Buffer): void {
    this.body += chunk.toString();
  }
  onResponseEnd(): void {
    this.events.push('end');
    this.over.resolve();
  }
  onResponseError(_controller: Controller, error: Error): void {
    this.events.push(`error ${error.message}`);
    this.over.resolve();
  }
}

async function hear(http: Http, url: string, heard = new Heard()): Promise<Heard> {
  http.dispatch(get(url), heard);
  await heard.over.promise;
  return heard;
}

describe.each(['lean', 'node'] as const)('%s: an answer', (engine) => {
  const client = (): Http => {
    const http = createHttp(undefined, { engine });
    open.push(http);
    return http;
  };

  it.each(Object.keys(codings))('in %s is read like an uncompressed one', async (coding) => {
    const bytes = codings[coding]!(text);
    const url = await serve((_req, res) =>
      res.writeHead(200, { 'content-encoding': coding, 'content-length': bytes.length }).end(bytes),
    );
    const heard = await hear(client(), url);
    expect(heard.events).toEqual(['head 200', 'end']);
    expect(heard.body).toBe(text);
    expect(heard.headers).not.toHaveProperty('content-encoding');
    expect(heard.headers).not.toHaveProperty('content-length');
    expect((await client().request(get(url), 1_000_000)).body.toString()).toBe(text);
  });

  it('whose compressed parts arrive one by one is passed on one by one', async () => {
    const gzip = createGzip();
    const url = await serve((_req, res) => {
      gzip.pipe(res.writeHead(200, { 'content-encoding': 'gzip' }));
      gzip.write('one');
      gzip.flush();
    });
    const heard = new Heard();
    client().dispatch(get(url), heard);
    await expect.poll(() => heard.body).toBe('one');
    gzip.end('two');
    await heard.over.promise;
    expect([heard.body, heard.events]).toEqual(['onetwo', ['head 200', 'end']]);
  });

  it.each(['identity', ''])('labelled "%s" passes unchanged', async (coding) => {
    const url = await serve((_req, res) => res.writeHead(200, { 'content-encoding': coding }).end('plain'));
    expect((await hear(client(), url)).body).toBe('plain');
  });

  it.each(['compress', 'gzip, br', 'constructor'])('in %s, which is not supported, fails', async (coding) => {
    const url = await serve((_req, res) => res.writeHead(200, { 'content-encoding': coding }).end('bytes'));
    const { events } = await hear(client(), url);
    expect(events).toEqual([`error the answer is encoded as ${coding}, which is not read here`]);
  });

  it('without a body has none, whatever its Content-Encoding', async () => {
    const url = await serve((_req, res) => res.writeHead(200, { 'content-encoding': 'gzip' }).end());
    expect(await hear(client(), url)).toMatchObject({ body: '', events: ['head 200', 'end'] });
  });

  it('whose compression is truncated or invalid fails after what could be read', async () => {
    const bytes = gzipSync(text);
    for (const body of [bytes.subarray(0, bytes.length - 20), Buffer.from('no compression at all')]) {
      const url = await serve((_req, res) => res.writeHead(200, { 'content-encoding': 'gzip' }).end(body));
      const heard = await hear(client(), url);
      expect(heard.events).toEqual(['head 200', expect.stringMatching(/^error /)]);
      expect(text.startsWith(heard.body)).toBe(true);
    }
  });

  it('that breaks off is passed on as far as it arrived', async () => {
    const gzip = createGzip();
    let breakOff = (): unknown => undefined;
    const url = await serve((_req, res) => {
      breakOff = () => res.destroy();
      gzip.pipe(res.writeHead(200, { 'content-encoding': 'gzip' }));
      gzip.write('one');
      gzip.flush();
    });
    const heard = new Heard();
    client().dispatch(get(url), heard);
    await expect.poll(() => heard.body).toBe('one');
    breakOff();
    await heard.over.promise;
    expect([heard.body, heard.events]).toEqual(['one', ['head 200', expect.stringMatching(/^error /)]]);
  });

  it('that would fill the memory is decompressed no further than its reader reads', async () => {
    const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024));
    const url = await serve((_req, res) => res.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb));
    await expect(client().request(get(url), 1_000)).rejects.toThrow('larger than 1000 bytes');
    let heardBytes = 0;
    class Pausing extends Heard {
      override onResponseData(controller: Controller, chunk: Buffer): void {
        heardBytes += chunk.length;
        controller.pause();
      }
    }
    const heard = new Pausing();
    client().dispatch(get(url), heard);
    await expect.poll(() => heardBytes).toBeGreaterThan(0);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(heardBytes).toBeLessThan(256 * 1024);
    heard.controller.abort(new Error('enough'));
    await heard.over.promise;
    expect(heard.events).toEqual(['head 200', 'error enough']);
  });

  it('waits for a reader who paused before it arrived', async () => {
    const url = await serve((_req, res) =>
      res.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(text)),
    );
    class Waiting extends Heard {
      override onResponseStart(controller: Controller, status: number, headers: Heard['headers']): void {
        super.onResponseStart(controller, status, headers);
        controller.pause();
        setTimeout(() => controller.resume(), 20);
      }
    }
    expect((await hear(client(), url, new Waiting())).body).toBe(text);
  });

  it.each(['onResponseStart', 'onResponseData', 'onResponseEnd'] as const)(
    'ends with the exception of its reader in %s, compressed or not',
    async (where) => {
      for (const coding of ['gzip', '']) {
        const body = coding === '' ? text : gzipSync(text);
        const url = await serve((_req, res) => res.writeHead(200, { 'content-encoding': coding }).end(body));
        const heard = new Heard();
        heard[where] = () => {
          throw new Error('a fault of ours');
        };
        await hear(client(), url, heard);
        expect(heard.events.at(-1)).toBe('error a fault of ours');
      }
    },
  );
});
