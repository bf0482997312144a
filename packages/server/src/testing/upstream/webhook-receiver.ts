import type { IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { TestCertificate } from '@tollgate/http-engine/testing';

/** A call as received. */
interface ReceivedCall {
  path: string;
  headers: IncomingHttpHeaders;
  /** Byte for byte the signed text. */
  body: string;
}

export interface WebhookReceiver {
  /** `https://localhost:<port>`. */
  readonly url: string;
  readonly calls: readonly ReceivedCall[];
  /** Sets the answer to calls from now on: a status with headers, or 'never'. */
  answer(how: { status: number; headers?: Record<string, string> } | 'never'): void;
  close(): Promise<void>;
}

/** Starts an https server on a free port of this machine that records its calls. */
export async function startWebhookReceiver(certificate: TestCertificate): Promise<WebhookReceiver> {
  const calls: ReceivedCall[] = [];
  let how: Parameters<WebhookReceiver['answer']>[0] = { status: 200 };
  const server = createServer(certificate, (req, res) => {
    text(req).then(
      (body) => {
        calls.push({ path: req.url ?? '', headers: req.headers, body });
        if (how !== 'never') res.writeHead(how.status, how.headers).end('{}');
      },
      () => res.destroy(),
    );
  });
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    calls,
    answer: (next) => void (how = next),
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
