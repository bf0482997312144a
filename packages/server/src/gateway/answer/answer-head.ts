type Headers = Record<string, string>;
type ReceivedHeaders = Record<string, string | string[] | undefined>;

/** The parts of an upstream's head that the gateway uses. */
export interface UpstreamHead {
  status: number;
  contentType: string;
  /** Value of Retry-After. */
  retryAfter: string | undefined;
  /** Headers that are passed to the caller; undefined for none. */
  passed: Headers | undefined;
  /** Headers of an error that are passed to the caller. */
  ofError: Headers | undefined;
}

/** Headers that are passed to the caller beside Content-Type: those that describe the answer itself. */
const forwardedHeaders = ['openai-processing-ms', 'openai-version', 'openai-model', 'anthropic-version'];

/** Headers of errors that are passed, too: the vendor's quotas, and whether and when the caller may come back. */
const errorHeader = /^(?:(?:anthropic-|x-)?ratelimit(?:-.+)?|x-codex-.+|retry-after(?:-ms)?|x-should-retry)$/;
const maxErrorHeaders = 50;

/** Seconds, fewer than decades, or a date. */
const isWait = (value: string): boolean => /^\d{1,9}$/.test(value) || /^\w{3}, .* GMT$/.test(value);

function errorHeadersFrom(headers: ReceivedHeaders): Headers | undefined {
  const passed = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === 'string' && errorHeader.test(name) && (name !== 'retry-after' || isWait(value))
      ? [[name, value] as const]
      : [],
  );
  return passed.length > 0 ? Object.fromEntries(passed.slice(0, maxErrorHeaders)) : undefined;
}

const first = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value;

/** Reads an upstream's head. No headers of a stream are passed on. */
export function readHead(status: number, headers: ReceivedHeaders, isStream: boolean): UpstreamHead {
  return {
    status,
    contentType: first(headers['content-type']) ?? '',
    retryAfter: first(headers['retry-after']),
    passed: isStream ? undefined : forwardedFrom(headers),
    ofError: status < 400 ? undefined : errorHeadersFrom(headers),
  };
}

function forwardedFrom(headers: ReceivedHeaders): Headers | undefined {
  let passed: Headers | undefined;
  for (const name of forwardedHeaders) {
    const value = headers[name];
    if (typeof value === 'string') (passed ??= {})[name] = value;
  }
  return passed;
}

/** Tollgate's own headers for an answer: of a stream, and of an answer in one piece. */
export type GatewayHeaders = Record<'stream' | 'whole', Headers>;

/** The headers for the caller, once the pipe has determined the content type. */
export function headFor(pipeType: string, own: GatewayHeaders, passed: Headers | undefined): Headers {
  const type = pipeType || 'application/json';
  const head = { ...(type.startsWith('text/event-stream') ? own.stream : own.whole) };
  if (passed) Object.assign(head, passed);
  head['content-type'] = type;
  return head;
}
