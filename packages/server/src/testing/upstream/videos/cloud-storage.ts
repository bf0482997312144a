import { createServer, request } from 'node:http';
import { type AddressInfo, connect, type Server } from 'node:net';
import type { Duplex } from 'node:stream';
import { createServer as createSecureServer } from 'node:tls';
import { makeTestCertificate, trustCertificate } from '@tollgate/http-engine/testing';

const host = 'storage.googleapis.com';

/** Cloud Storage at its own host name, behind the proxy of a channel. */
export interface CloudStorage {
  /** The address of the proxy. */
  proxy: string;
  /** The targets that the proxy was asked for. */
  asked: string[];
  close(): Promise<void>;
}

/**
 * Answers requests to `https://storage.googleapis.com` through the proxy with the server on `port`. Its certificate has
 * that name, and this process trusts it until it is closed. The proxy forwards all other requests to their targets.
 */
export async function startCloudStorage(port: number): Promise<CloudStorage> {
  const certificate = makeTestCertificate(host);
  const untrust = trustCertificate(certificate.cert);
  const open = new Set<Duplex>();
  const join = (near: Duplex, farPort: number): void => {
    const far = connect(farPort, '127.0.0.1');
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(from);
      from.pipe(to);
      from.on('error', () => to.destroy());
      from.on('close', () => open.delete(from) && to.destroy());
    }
  };
  const secure = createSecureServer(certificate, (socket) => join(socket, port));
  const asked: string[] = [];
  const proxy = createServer((req, res) => {
    const { method, headers } = req;
    const onward = request(req.url ?? '', { method, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(res);
    });
    onward.on('error', () => res.destroy());
    req.pipe(onward);
  });
  proxy.on('connect', (req, socket) => {
    const place = req.url ?? '';
    asked.push(place);
    socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    join(socket, place === `${host}:443` ? portOf(secure) : Number(place.split(':').at(-1)));
  });
  await Promise.all([listen(secure), listen(proxy)]);
  return {
    proxy: `http://127.0.0.1:${portOf(proxy)}`,
    asked,
    async close() {
      untrust();
      for (const socket of open) socket.destroy();
      await Promise.all([secure, proxy].map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}

const listen = (server: Server): Promise<void> =>
  new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const portOf = (server: Server): number => (server.address() as AddressInfo).port;
