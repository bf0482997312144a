import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { ForbiddenAddress } from './address.ts';
import { createHttp, type Outgoing } from './http.ts';

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

async function serve(listener: RequestListener): Promise<string> {
  const server: Server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push({ close: () => server.closeAllConnections() ?? server.close() });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const get = (url: string, more: Partial<Outgoing> = {}): Outgoing => ({
  method: 'GET',
  url,
  headers: {},
  scope: 'operator',
  headersTimeoutMs: 2_000,
  bodyTimeoutMs: 2_000,
  ...more,
});

function client() {
  const http = createHttp();
  open.push(http);
  return http;
}

describe('the outbound client', () => {
  it('gathers an answer and hands redirects back instead of following them', async () => {
    const url = await serve((_req, res) =>
      res.writeHead(302, { location: 'http://169.254.169.254/' }).end('moved'),
    );
    const answer = await client().request(get(url), 1000);
    expect(answer.status).toBe(302);
    expect(answer.body.toString()).toBe('moved');
  });

  it('stops reading an answer that is larger than allowed', async () => {
    const url = await serve((_req, res) => res.end(Buffer.alloc(100_000)));
    await expect(client().request(get(url), 1000)).rejects.toThrow('larger than 1000 bytes');
  });

  it('refuses private addresses for what users gave, before anything is sent', async () => {
    let visits = 0;
    const url = await serve((_req, res) => {
      visits += 1;
      res.end();
    });
    await expect(client().request(get(url, { scope: 'public' }), 1000)).rejects.toThrow(ForbiddenAddress);
    const named = url.replace('127.0.0.1', 'localhost');
    await expect(client().request(get(named, { scope: 'public' }), 1000)).rejects.toThrow('not allowed');
    expect(visits).toBe(0);
  });

  it('gives up on an upstream that never answers', async () => {
    const url = await serve(() => undefined);
    await expect(client().request(get(url, { headersTimeoutMs: 200 }), 1000)).rejects.toThrow(/timeout/i);
  });

  it('goes through an http proxy when told to', async () => {
    const target = await serve((_req, res) => res.end('through'));
    const proxy = await serve((req, res) => {
      res.setHeader('x-seen', String(req.url));
      res.end(`proxied ${req.url}`);
    });
    const answer = await client().request(get(`${target}/path`, { proxy }), 1000);
    expect(answer.body.toString()).toContain('proxied');
  });
});
