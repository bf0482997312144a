import type { Http, Outgoing } from '../../lib/outbound/http.ts';
import type { FetchedFile } from '../../relay/types/index.ts';
import type { Settings } from '../../services/settings/index.ts';

/** A file that takes longer than this is not worth holding a request for. */
const timeoutMs = 15_000;

export interface FetchFileDeps {
  http: Pick<Http, 'request'>;
  settings: Pick<Settings, 'get'>;
  /** Largest file, in bytes. */
  maxBytes: number;
}

/**
 * Fetches files that callers named: through the site's worker where it has one (docs/compatibility.md#notices), else
 * through the address check for what users give, so public addresses only. No redirects, bounded in time and size.
 * Rejects with the reason for our log; the caller is told less.
 */
export const createFileFetch =
  ({ http, settings, maxBytes }: FetchFileDeps) =>
  async (url: string): Promise<FetchedFile> => {
    const worker = settings.get('WorkerUrl');
    const call = worker === '' ? directly(url) : throughWorker(url, worker, settings);
    const answer = await http.request(
      { ...call, headersTimeoutMs: timeoutMs, bodyTimeoutMs: timeoutMs },
      maxBytes,
    );
    if (answer.status !== 200) throw new Error(`the file's server answered ${answer.status}`);
    const type = answer.headers['content-type'];
    const mediaType = (Array.isArray(type) ? type[0] : type)?.split(';', 1)[0]?.trim() ?? '';
    return { mediaType: mediaType || 'application/octet-stream', base64: answer.body.toString('base64') };
  };

type FileCall = Pick<Outgoing, 'method' | 'url' | 'headers' | 'body' | 'scope'>;

const directly = (url: string): FileCall => ({ method: 'GET', url, headers: {}, scope: 'public' });

/** The worker answers with the file itself. It stands outside of our network, so that it may fetch what it reaches. */
function throughWorker(url: string, worker: string, settings: Pick<Settings, 'get'>): FileCall {
  const allowed = settings.get('WorkerAllowHttpImageRequestEnabled') ? /^https?:\/\//i : /^https:\/\//i;
  if (!allowed.test(url)) throw new Error('the worker fetches https addresses only');
  return {
    method: 'POST',
    url: `${worker.replace(/\/+$/, '')}/`,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify({ url, key: settings.get('WorkerValidKey') })),
    scope: 'operator',
  };
}
