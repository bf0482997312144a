import type { IncomingMessage } from 'node:http';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import type { Transform } from 'node:stream';
import type { BodyShare, FullMemory } from '../../lib/body-memory.ts';
import { PlainRequest } from '@tollgate/http-engine';
import { refuse, type RelayError } from '../../relay/types/index.ts';

const tooLarge = (limit: number) => refuse('request_too_large', { limit: Math.floor(limit / 1024 / 1024) });

/** The decoder of a Content-Encoding; null for none. Throws for an unsupported one. */
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
      throw refuse('unsupported_encoding', { encoding: encoding.slice(0, 40) });
  }
}

/** Usual time in seconds until other calls have ended. */
const waitSeconds = 5;

const noRoom = (full: FullMemory): RelayError =>
  full === 'owner'
    ? refuse('key_body_memory_full', {}, { retryAfterSeconds: waitSeconds })
    : refuse('body_memory_full', {}, { retryAfterSeconds: waitSeconds });

/** A request as read by Node's server, or by the HTTP engine. */
export type Incoming = IncomingMessage | PlainRequest;

/**
 * Reads a request's body completely and decodes it, at most `limit` bytes (before and after decoding, so that a gzip
 * bomb stops early). Rejects with a RelayError, also if `memory` has no space for it, or when the caller disconnects.
 */
export async function readBody(req: Incoming, limit: number, memory: BodyShare): Promise<Buffer> {
  const length = Number(req.headers['content-length'] ?? 0);
  if (length > limit) throw tooLarge(limit);
  if (req instanceof PlainRequest) return plainBody(req, length, memory);
  const encoding = (req.headers['content-encoding'] ?? '').trim().toLowerCase();
  const decoder = decoderFor(encoding);
  return gather(req, decoder ? req.pipe(decoder) : req, limit, memory);
}

/** True if the whole body has arrived. */
export const isHere = (req: Incoming): boolean =>
  req instanceof PlainRequest ? req.isComplete : req.complete || req.headers['content-length'] === '0';

/** These are short and are counted as a whole. */
async function plainBody(req: PlainRequest, length: number, memory: BodyShare): Promise<Buffer> {
  const full = memory.take(length);
  if (full !== undefined) throw noRoom(full);
  try {
    return await req.body();
  } catch {
    throw brokenOff();
  }
}

const brokenOff = () => refuse('body_broken_off');

function gather(
  req: IncomingMessage,
  source: IncomingMessage | Transform,
  limit: number,
  memory: BodyShare,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const stop = (error: RelayError): void => {
      chunks.length = 0;
      req.unpipe();
      source.removeAllListeners('data');
      if (source !== req) source.destroy();
      reject(error);
    };
    source.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) return stop(tooLarge(limit));
      const full = memory.take(chunk.length);
      if (full !== undefined) return stop(noRoom(full));
      chunks.push(chunk);
    });
    source.on('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size)));
    source.on('error', () => reject(refuse('body_unreadable')));
    if (source !== req) req.on('error', reject);
    // A request closes once, so `once` would create a wrapper for nothing.
    req.on('close', () => {
      if (!req.complete) reject(brokenOff());
    });
  });
}
