import type { Http } from '../../../lib/outbound/http.ts';
import { type Ask, malformed, UsageFault } from './vendors/index.ts';

const timeoutMs = 30_000;
/** Maximum size of a page of buckets, far above the usual one. */
const maxPageBytes = 8 * 1024 * 1024;
const maxPages = 500;

export interface AskDeps {
  http: Pick<Http, 'request'>;
  /** The vendor's address, without a final slash. */
  base: string;
  headers: Readonly<Record<string, string>>;
  /** The proxy of the channel; '' for none. */
  proxy: string;
  signal: AbortSignal;
  /** Called after each page. */
  onPage: () => void;
}

/** Queries one vendor, page by page, with the guarded client. */
export function createAsk({ http, base, headers, proxy, signal, onPage }: AskDeps): Ask {
  let pages = 0;
  return async (path, query) => {
    if ((pages += 1) > maxPages) throw new UsageFault('too_large', `more than ${maxPages} pages`);
    const text = query.toString();
    const answer = await http
      .request(
        {
          method: 'GET',
          url: `${base}${path}${text === '' ? '' : `?${text}`}`,
          headers: { accept: 'application/json', 'accept-encoding': 'identity', ...headers },
          // Root chose the address by the environment.
          scope: 'operator',
          proxy,
          headersTimeoutMs: timeoutMs,
          bodyTimeoutMs: timeoutMs,
        },
        maxPageBytes,
        signal,
      )
      .catch((error: unknown) => {
        throw new UsageFault('unreachable', error instanceof Error ? error.message : String(error));
      });
    if (answer.status !== 200) throw faultOf(answer.status, answer.headers, answer.body.toString());
    const page = parseJson(answer.body.toString());
    onPage();
    return page;
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw malformed('the answer is no JSON');
  }
}

function faultOf(status: number, headers: Readonly<Record<string, unknown>>, body: string): UsageFault {
  const detail = `${status}: ${wordsOf(body)}`;
  if (status === 401 || status === 403) return new UsageFault('unauthorized', detail);
  if (status !== 429) return new UsageFault('refused', detail);
  const after = Number(headers['retry-after']);
  return new UsageFault('rate_limited', detail, Number.isFinite(after) ? Math.max(0, Math.ceil(after)) : 0);
}

/** The vendor's message: all vendors put it into `error.message`. */
function wordsOf(body: string): string {
  try {
    const { error } = JSON.parse(body) as { error?: { message?: unknown } };
    if (typeof error?.message === 'string') return error.message;
  } catch {
    // The response of a proxy, in any format.
  }
  return body.slice(0, 200);
}
