import type { Server } from 'node:http';
import { nodeHttp } from '@tollgate/http-engine';
import type { FastifyInstance } from 'fastify';
import { sameSecret } from '../lib/hash.ts';

/**
 * A separate server for metrics, on an address that only the monitoring can reach: `GET /metrics`, nothing else.
 * Listens when it resolves; rejects if the port is in use.
 */
export function serveMetrics(
  { port, host }: { port: number; host: string },
  print: () => Promise<{ contentType: string; text: string }>,
): Promise<Server> {
  const server = nodeHttp.createServer((req, res) => {
    if (req.method !== 'GET' || req.url?.split('?', 1)[0] !== '/metrics') {
      res.writeHead(404).end();
      return;
    }
    print().then(
      ({ contentType, text }) => res.writeHead(200, { 'content-type': contentType }).end(text),
      () => res.writeHead(500).end(),
    );
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve(server));
  });
}

/** Paths for machines: balancers, supervisors, Prometheus. */
export interface HealthDeps {
  /** Reasons to send no calls here; empty if there are none. */
  unready: () => Promise<readonly string[]>;
  /** Metrics for callers with the token; absent if METRICS_TOKEN is not set. */
  metrics?: { token: string; print(): Promise<{ contentType: string; text: string }> } | undefined;
}

const bearer = /^bearer +(.+)$/i;

/**
 * `/healthz` (the process answers), `/readyz` (a call can be paid for; otherwise 503 with reasons) and `/metrics`.
 * Without session, envelope and address limit. The first two reveal nothing about the site.
 */
export function registerHealth(app: FastifyInstance, { unready, metrics }: HealthDeps): void {
  app.get('/healthz', (_request, reply) => reply.header('cache-control', 'no-store').send({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    const reasons = await unready();
    return reply
      .code(reasons.length > 0 ? 503 : 200)
      .header('cache-control', 'no-store')
      .send(reasons.length > 0 ? { status: 'unready', reasons } : { status: 'ready' });
  });
  if (!metrics) return;
  app.get('/metrics', async (request, reply) => {
    const given = bearer.exec(request.headers.authorization ?? '')?.[1] ?? '';
    if (!sameSecret(given, metrics.token))
      return reply
        .code(401)
        .header('www-authenticate', 'Bearer')
        .send({ error: 'METRICS_TOKEN is asked for' });
    const { contentType, text } = await metrics.print();
    return reply.header('content-type', contentType).header('cache-control', 'no-store').send(text);
  });
}
