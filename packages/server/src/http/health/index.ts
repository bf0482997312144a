import type { FastifyInstance } from 'fastify';
import { sameSecret } from '../../lib/hash.ts';

export { serveMetrics } from './metrics-server.ts';

/** What machines ask of this process: balancers, supervisors, Prometheus. */
export interface HealthDeps {
  /** Why no calls should be sent here; empty when there is nothing against it. */
  unready: () => Promise<readonly string[]>;
  /** The figures, for those who know the token; absent where METRICS_TOKEN is not set. */
  metrics?: { token: string; print(): Promise<{ contentType: string; text: string }> } | undefined;
}

const bearer = /^bearer +(.+)$/i;

/**
 * `/healthz` (the process answers), `/readyz` (it can take money for a call; else 503 and why) and `/metrics`. No
 * calls of the console: no session, no envelope, no limit by address. The first two say nothing about the site.
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
