import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';

/** Answer of an upstream over HTTP/2, the same to every request. */
interface Http2Answer {
  contentType: string;
  body: Buffer;
  /** Bytes of each write. */
  pieceBytes: number;
}

/** An upstream with HTTP/2 without TLS, the default of AWS's clients. */
export interface Http2Upstream {
  readonly url: string;
  /** Bodies of the requests, in order. */
  readonly bodies: readonly Buffer[];
  close(): Promise<void>;
}

/** Starts it on a free port of 127.0.0.1. */
export async function startHttp2Upstream({
  contentType,
  body,
  pieceBytes,
}: Http2Answer): Promise<Http2Upstream> {
  const bodies: Buffer[] = [];
  const server = createServer((req, res) => {
    const pieces: Buffer[] = [];
    req.on('data', (piece: Buffer) => void pieces.push(piece));
    req.on('end', () => {
      bodies.push(Buffer.concat(pieces));
      res.writeHead(200, { 'content-type': contentType });
      for (let at = 0; at < body.length; at += pieceBytes) res.write(body.subarray(at, at + pieceBytes));
      res.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
