import { createServer as createTlsServer } from 'node:https';
import { createSecureServer } from 'node:http2';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { makeTestCertificate, trustCertificate } from '@tollgate/http-engine/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { type AnswerHandler, createHttp, type Controller, type Http, type Outgoing } from './http.ts';

const certificate = makeTestCertificate();
const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

function client(): Http {
  const http = createHttp(undefined, { engine: 'node' });
  open.push({ close: trustCertificate(certificate.cert) }, http);
  return http;
}

const post = (url: string, more: Partial<Outgoing> = {}): Outgoing => ({
  method: 'POST',
  url,
  headers: { 'content-type': 'text/plain' },
  body: Buffer.from('question'),
  scope: 'operator',
  headersTimeoutMs: 5_000,
  bodyTimeoutMs: 5_000,
  ...more,
});

interface Listening {
  listen(port: number, host: string, done: () => void): unknown;
  address(): AddressInfo | string | null;
  close(): unknown;
}

async function listening(server: Listening): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(server);
  return (server.address() as AddressInfo).port;
}

/** All events of a call, in order, with the call's controller. */
class Heard implements AnswerHandler {
  readonly events: string[] = [];
  controller!: Controller;
  body = '';
  onRequestStart(controller: Controller): void {
    this.controller = controller;
    this.events.push('start');
  }
  onResponseStart(_controller: Controller, status: number): void {
    this.events.push(`head ${status}`);
  }
  onResponseData(_controller: Controller, chunk: Buffer): void {
    this.body += chunk.toString();
  }
  onResponseEnd(): void {
    this.events.push('end');
  }
  onResponseError(_controller: Controller, error: Error): void {
    this.events.push(`error ${error.message}`);
  }
}

describe('calls through undici', () => {
  it('go over HTTP/2 where an upstream offers it, many on one connection', async () => {
    let sessions = 0;
    const seen: string[] = [];
    const server = createSecureServer({ ...certificate, allowHTTP1: true }, (req, res) => {
      seen.push(`${req.httpVersion} ${req.headers[':authority'] ?? ''}`);
      req.resume().on('end', () => res.writeHead(200, { 'content-type': 'text/plain' }).end('answer'));
    });
    server.on('session', () => (sessions += 1));
    const port = await listening(server);
    const http = client();
    const call = () => http.request(post(`https://localhost:${port}/a?b=1`), 1_000);
    const answers = await Promise.all(Array.from({ length: 20 }, call));
    expect(answers.map(({ status, body }) => `${status} ${body.toString()}`)).toEqual(
      Array(20).fill('200 answer'),
    );
    expect(seen).toEqual(Array(20).fill(`2.0 localhost:${port}`));
    expect(sessions).toBe(1);
  });

  it('go over HTTP/1.1 where it does not', async () => {
    const versions: string[] = [];
    const server = createTlsServer(certificate, (req, res) => {
      versions.push(req.httpVersion);
      req.resume().on('end', () => res.end('answer'));
    });
    const port = await listening(server);
    const answer = await client().request(post(`https://localhost:${port}/`), 1_000);
    expect([answer.body.toString(), versions]).toEqual(['answer', ['1.1']]);
  });

  it('are refused where the certificate is for another name', async () => {
    const server = createSecureServer(certificate, (_req, res) => res.end('answer'));
    const port = await listening(server);
    const call = post(`https://127.0.0.1:${port}/`, { headers: { host: 'elsewhere.test' } });
    await expect(client().request(call, 1_000)).rejects.toMatchObject({
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    });
  });

  it('can be aborted before there is a connection, and are never sent then', async () => {
    let bytes = 0;
    const server = createTcpServer((socket) => {
      socket.on('error', () => undefined).on('data', (chunk) => (bytes += chunk.length));
    });
    const port = await listening(server);
    const http = client();
    const heard = new Heard();
    http.dispatch(post(`http://127.0.0.1:${port}/`), heard);
    heard.controller.abort(new Error('gone'));
    expect(heard.events).toEqual(['start', 'error gone']);
    // A later call on the same pool waits behind it.
    const next = new Heard();
    http.dispatch(post(`http://127.0.0.1:${port}/`, { body: Buffer.from('second') }), next);
    await expect.poll(() => bytes).toBeGreaterThan(0);
    next.controller.abort(new Error('enough'));
    expect(heard.events).toEqual(['start', 'error gone']);
    expect(next.events).toEqual(['start', 'error enough']);
  });

  it('that are paused receive nothing until they are resumed, over HTTP/2 too', async () => {
    const server = createSecureServer(certificate, (_req, res) => {
      res.writeHead(200);
      res.write('first ');
      setTimeout(() => res.end('x'.repeat(1_000_000)), 50);
    });
    const port = await listening(server);
    const heard = new Heard();
    client().dispatch(post(`https://localhost:${port}/`), heard);
    await expect.poll(() => heard.body).toContain('first ');
    heard.controller.pause();
    await new Promise((resolve) => setTimeout(resolve, 300));
    const soFar = heard.body.length;
    expect(soFar).toBeLessThan(500_000);
    heard.controller.resume();
    await expect.poll(() => heard.events.at(-1)).toBe('end');
    expect(heard.body).toHaveLength('first '.length + 1_000_000);
  });

  it('time out on a silent upstream, before its head and within its body', async () => {
    const server = createTlsServer(certificate, (req, res) => {
      if (req.url === '/body') res.write('some');
    });
    const port = await listening(server);
    const http = client();
    open.push({ close: () => server.closeAllConnections() });
    const late = (path: string) =>
      http.request(
        post(`https://localhost:${port}${path}`, { headersTimeoutMs: 1_000, bodyTimeoutMs: 1_000 }),
        100,
      );
    await expect(late('/head')).rejects.toMatchObject({ code: 'UND_ERR_HEADERS_TIMEOUT' });
    await expect(late('/body')).rejects.toMatchObject({ code: 'UND_ERR_BODY_TIMEOUT' });
  });
});
