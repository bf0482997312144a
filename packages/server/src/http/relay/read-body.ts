import type { IncomingMessage } from 'node:http';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import type { Transform } from 'node:stream';
import { PlainRequest } from '../../lib/plain-http/plain-request.ts';
import { refuse } from '../../relay/model/relay-error.ts';

const tooLarge = (limit: number) =>
  refuse(413, 'request_too_large', `the request body is larger than ${Math.floor(limit / 1024 / 1024)} MB`);

/** The decoder of a Content-Encoding; null for none. Throws for one we do not speak. */
function decoderFor(encoding: string): Transform | null {
  switch (encoding) {
    case '':
    case 'identity':
      return null;
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'br':
      return createBrotliDecompress();
    case 'zstd':
      return createZstdDecompress();
    case 'deflate':
      return createInflate();
    default:
      throw refuse(
        415,
        'unsupported_encoding',
        `the content encoding ${encoding.slice(0, 40)} is not supported`,
      );
  }
}

/** A request as Node's server reads it, or as the lane of the plain ones does. */
export type Incoming = IncomingMessage | PlainRequest;

/**
 * Reads a request's body whole, decoded, at most `limit` bytes of it (before and after decoding, so that a gzip bomb
 * stops early). Rejects with a RelayError in words for the caller, or when the caller hangs up.
 */
export function readBody(req: Incoming, limit: number): Buffer | Promise<Buffer> {
  const length = Number(req.headers['content-length'] ?? 0);
  if (length > limit) return Promise.reject(tooLarge(limit));
  if (req instanceof PlainRequest) return plainBody(req);
  const encoding = (req.headers['content-encoding'] ?? '').trim().toLowerCase();
  if (encoding === '') return gather(req, req, limit);
  try {
    const decoder = decoderFor(encoding);
    return gather(req, decoder ? req.pipe(decoder) : req, limit);
  } catch (error) {
    return Promise.reject(error as Error);
  }
}

function plainBody(req: PlainRequest): Buffer | Promise<Buffer> {
  const body = req.body();
  if (!(body instanceof Promise)) return body;
  return body.catch(() => {
    throw brokenOff();
  });
}

const brokenOff = () => refuse(400, 'bad_request_body', 'the request was broken off');

function gather(req: IncomingMessage, source: IncomingMessage | Transform, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    source.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) {
        req.unpipe();
        source.removeAllListeners('data');
        reject(tooLarge(limit));
      } else chunks.push(chunk);
    });
    source.on('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size)));
    source.on('error', () => reject(refuse(400, 'bad_request_body', 'the request body could not be read')));
    if (source !== req) req.on('error', reject);
    // A request closes once: `once` would make a wrapper for nothing.
    req.on('close', () => {
      if (!req.complete) reject(brokenOff());
    });
  });
}
