type Headers = Record<string, string>;
type ReceivedHeaders = Record<string, string | string[] | undefined>;

/** Of an upstream's head what matters beyond the pipe. */
export interface UpstreamHead {
  status: number;
  contentType: string;
  /** Value of Retry-After. */
  retryAfter: string | undefined;
  /** What passes to the caller; undefined for none. */
  passed: Headers | undefined;
}

/** Headers of an answer that pass to the caller beside Content-Type: those that say something about the answer itself. */
const passedHeaders = ['openai-processing-ms', 'openai-version', 'openai-model', 'anthropic-version'];

const first = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value;

/** Reads an upstream's head. Of a stream nothing passes but its bytes. */
export function readHead(status: number, headers: ReceivedHeaders, isStream: boolean): UpstreamHead {
  return {
    status,
    contentType: first(headers['content-type']) ?? '',
    retryAfter: first(headers['retry-after']),
    passed: isStream ? undefined : passedOf(headers),
  };
}

function passedOf(headers: ReceivedHeaders): Headers | undefined {
  let passed: Headers | undefined;
  for (const name of passedHeaders) {
    const value = headers[name];
    if (typeof value === 'string') (passed ??= {})[name] = value;
  }
  return passed;
}

/** The headers of ours that an answer begins with: of a stream, and of an answer in one piece. */
export type OwnHeaders = Record<'stream' | 'whole', Headers>;

/** The head for the caller, once the pipe knows what kind of answer it is. */
export function headFor(pipeType: string, own: OwnHeaders, passed: Headers | undefined): Headers {
  const type = pipeType || 'application/json';
  const head = { ...(type.startsWith('text/event-stream') ? own.stream : own.whole) };
  if (passed) Object.assign(head, passed);
  head['content-type'] = type;
  return head;
}
