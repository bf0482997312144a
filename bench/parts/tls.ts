import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTestCertificate } from '@tollgate/http-engine/testing';
import { startGateway } from './gateway.ts';
import { findNginx, startNginx } from './nginx.ts';
import { freePorts, type Running } from './process.ts';
import { type Subject, upstreamPorts } from './subject.ts';

interface Options {
  folder: string;
  /** First port of the plain upstream behind nginx's TLS. */
  upstream: number;
  /** Of the gateways, and of nginx. */
  core: number;
  otherCore: number;
  /** Another checkout with a lean engine to measure as well; '' for none. */
  beside: string;
}

/** Gateways that reach their upstream over TLS, and a function that ends them and nginx. */
export interface TlsSubjects {
  subjects: Subject[];
  stop(): Promise<void>;
}

/**
 * Starts nginx with TLS in front of the upstream, twice: with HTTP/2, as vendors offer it, and with HTTP/1.1 only. In front of
 * them are a gateway on the lean engine, and one for each on Node's. They trust the certificate through the operator's
 * setting. None without nginx.
 */
export async function startTlsSubjects(options: Options): Promise<TlsSubjects | undefined> {
  const nginx = findNginx();
  if (!nginx) return undefined;
  const { folder, upstream, core, otherCore, beside } = options;
  const certFile = join(folder, 'upstream.cert.pem');
  const keyFile = join(folder, 'upstream.key.pem');
  const { cert, key } = makeTestCertificate();
  writeFileSync(certFile, cert);
  writeFileSync(keyFile, key, { mode: 0o600 });
  const modes = Object.keys(upstreamPorts).length;
  const ports = await freePorts(2 * modes + 4);
  const running: Running[] = [];
  const front = async (name: string, port: number, http2: boolean) => {
    const tls = { certFile, keyFile, http2 };
    const started = await startNginx(nginx, name, { folder, port, upstream, core: otherCore, tls });
    running.push(started.running);
  };
  const withHttp2 = ports;
  const withHttp1 = ports + modes;
  await front('tls-http2', withHttp2, true);
  await front('tls-http1', withHttp1, false);
  const gateway = async (name: string, engine: 'lean' | 'node', at: number, tree?: string) => {
    const started = await startGateway({
      name,
      folder,
      port: ports + 2 * modes + running.length - 2,
      upstream: { host: 'https://localhost', port: at },
      core,
      env: { HTTP_ENGINE: engine, NODE_EXTRA_CA_CERTS: certFile },
      ...(tree && { tree }),
    });
    running.push(started.running);
    return started;
  };
  const subjects = [
    await gateway('lean', 'lean', withHttp2),
    await gateway('node, HTTP/2', 'node', withHttp2),
    await gateway('node, HTTP/1.1', 'node', withHttp1),
    ...(beside === '' ? [] : [await gateway('lean, beside', 'lean', withHttp2, beside)]),
  ];
  return {
    subjects,
    stop: async () => {
      for (const one of running) await one.stop();
    },
  };
}
