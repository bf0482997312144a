import { refuse, type RelayError, type UpstreamCall } from '../../relay/types/index.ts';
import type { UpstreamHead } from './answer-head.ts';

/** An error answer longer than this is read no further. */
const maxBytes = 64 * 1024;

/** The body of an upstream's error answer, as far as it is read. */
export class RefusalBody {
  private readonly chunks: Buffer[] = [];
  private size = 0;

  /** Keeps a chunk; false when there is more than anyone reads. */
  add(chunk: Buffer): boolean {
    this.size += chunk.length;
    this.chunks.push(chunk);
    return this.size <= maxBytes;
  }

  get bytes(): Buffer {
    return Buffer.concat(this.chunks);
  }
}

/** What a refusal says. A fault of ours in reading it is not thrown: out of a socket's event it would end the process. */
export function readRefusal(
  call: Pick<UpstreamCall, 'readError' | 'secrets'>,
  { status = 0, contentType = '', retryAfter, ofError }: Partial<UpstreamHead> = {},
  body = new RefusalBody(),
): RelayError {
  try {
    const error = call.readError(status, contentType, body.bytes, retryAfter);
    const isSafe = ofError && !call.secrets.some((secret) => JSON.stringify(ofError).includes(secret));
    return isSafe ? error.copy({ headers: ofError }) : error;
  } catch (cause) {
    return refuse('bad_response_status_code', { status }, { cause });
  }
}
