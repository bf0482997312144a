import type { Server } from 'node:http';
import { nodeHttp } from '@tollgate/http-engine';

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
