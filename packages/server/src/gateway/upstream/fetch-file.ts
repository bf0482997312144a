import type { Http, Outgoing } from '../../lib/outbound/http.ts';
import type { FetchedFile } from '../../relay/types/index.ts';
import type { Settings } from '../../services/site/settings/index.ts';

/** Timeout of a file. */
const timeoutMs = 15_000;

export interface FetchFileDeps {
  http: Pick<Http, 'request'>;
  settings: Pick<Settings, 'get'>;
  /** Largest file, in bytes. */
  maxBytes: number;
}

/**
 * Fetches files by address for callers: through the site's worker if there is one (docs/compatibility.md#notices),
 * otherwise through the address check for users, so from public addresses only. No redirects; limits of time and
 * size. Rejects with the reason for the log; the caller gets less detail.
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

/**
 * The worker returns the file itself. It is outside of our network, so it may fetch any address that it can reach.
 */
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
