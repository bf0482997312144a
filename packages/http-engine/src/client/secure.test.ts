import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import { localGuard, wideBound } from '../testing/local-guard.ts';
import { call, exchange } from '../testing/direct-calls.ts';
import { makeTestCertificate, trustCertificate } from '../testing/test-certificate.ts';
import { Client } from './client.ts';

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

const certificate = makeTestCertificate();

/** A TLS upstream that echoes its request and reports its connections. */
async function secureUpstream() {
  const sockets: { name: string | undefined; protocol: string; isResumed: boolean }[] = [];
  const server: Server = createServer({ ...certificate, ALPNProtocols: ['h2', 'http/1.1'] }, (req, res) => {
    req.pipe(res);
  });
  server.on('tlsClientError', () => undefined);
  server.on('secureConnection', (socket: TLSSocket) => {
    const { servername, alpnProtocol } = socket as TLSSocket & { servername?: string };
    sockets.push({ name: servername, protocol: String(alpnProtocol), isResumed: socket.isSessionReused() });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(
    () => server.close(),
    () => server.closeAllConnections(),
  );
  const client = new Client({ guard: localGuard, bound: wideBound });
  open.push(() => client.close());
  return { port: (server.address() as AddressInfo).port, sockets, client };
}

describe('a call over TLS', () => {
  it('to a server with an untrusted certificate is refused, and nothing is sent', async () => {
    const { port, sockets, client } = await secureUpstream();
    const heard = await exchange(client, `https://localhost:${port}`, { body: Buffer.from('secret') });
    expect(heard.heard).toEqual(['start', 'error']);
    expect(heard.error).toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    expect(sockets.filter(({ isResumed }) => isResumed)).toEqual([]);
  });

  it('works by name and by address, over HTTP/1.1', async () => {
    open.push(trustCertificate(certificate.cert));
    const { port, sockets, client } = await secureUpstream();
    for (const size of [5, 100_000, 5_000_000]) {
      const body = Buffer.alloc(size, 'abcdefg');
      for (const host of ['localhost', '127.0.0.1']) {
        const heard = await exchange(client, `https://${host}:${port}`, { body });
        expect([heard.error, heard.body === body.toString()]).toEqual([undefined, true]);
      }
    }
    // SNI does not accept an IP address, so the client sends no server name.
    expect(new Set(sockets.map(({ name, protocol }) => `${String(name)} ${protocol}`))).toEqual(
      new Set(['localhost http/1.1', 'false http/1.1']),
    );
  });

  it('to another name than that of the certificate is refused', async () => {
    open.push(trustCertificate(certificate.cert));
    const { port, client } = await secureUpstream();
    const heard = await exchange(client, `https://127.0.0.1:${port}`, {
      headers: { host: 'vendor.example' },
    });
    expect(heard.error).toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
    const named = await exchange(client, `https://127.0.0.1:${port}`, { headers: { host: 'localhost:1' } });
    expect([named.error, named.status]).toEqual([undefined, 200]);
  });

  it('resumes the TLS session of the connection before it', async () => {
    open.push(trustCertificate(certificate.cert));
    const { port, sockets, client } = await secureUpstream();
    for (let index = 0; index < 2; index += 1) {
      await exchange(client, `https://localhost:${port}`, { headers: { connection: 'close' } });
    }
    expect(sockets.map(({ isResumed }) => isResumed)).toEqual([false, true]);
  });

  it('keeps its connection where the answer arrives before Node reports that the request was sent', async () => {
    open.push(trustCertificate(certificate.cert));
    const answered = new Int32Array(new SharedArrayBuffer(4));
    const far = new Worker(new URL('../testing/secure-upstream-thread.ts', import.meta.url), {
      workerData: { certificate, answered },
    });
    open.push(() => far.terminate());
    const [port] = (await once(far, 'message')) as [number];
    const client = new Client({ guard: localGuard, bound: wideBound });
    open.push(() => client.close());
    const url = `https://localhost:${port}`;
    const bodies: string[] = [];
    for (let round = 0; round < 5; round += 1) {
      const listener = call(client, url, { body: Buffer.from('question') });
      // Calls are sent in this turn of the event loop. The wait blocks this turn until the answer arrives.
      // The first call connects, so it does not wait.
      if (round > 0) setImmediate(() => Atomics.wait(answered, 0, round, 5_000));
      await listener.done;
      bodies.push(listener.body);
      for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(bodies).toEqual(['1', '1', '1', '1', '1']);
  });

  it('can be paused and resumed', async () => {
    open.push(trustCertificate(certificate.cert));
    const { port, client } = await secureUpstream();
    const body = Buffer.alloc(8_000_000, 'abcdefg');
    const listener = call(client, `https://localhost:${port}`, { body }, (what, { controller }) => {
      if (what !== 'data') return;
      controller.pause();
      setImmediate(() => controller.resume());
    });
    await listener.done;
    expect([listener.error, listener.body === body.toString()]).toEqual([undefined, true]);
  });
});
