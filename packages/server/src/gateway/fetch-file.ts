import type { Http } from '../lib/http.ts';
import type { FetchedFile } from '../relay/model/provider.ts';

/** A file that takes longer than this is not worth holding a request for. */
const timeoutMs = 15_000;

/**
 * Fetches a file that a caller named, through the address check for what users give: public addresses only,
 * no redirects, bounded in time and size. Rejects with the reason for our log; the caller is told less.
 */
export async function fetchFile(http: Http, url: string, maxBytes: number): Promise<FetchedFile> {
  const answer = await http.request(
    {
      method: 'GET',
      url,
      headers: {},
      scope: 'public',
      headersTimeoutMs: timeoutMs,
      bodyTimeoutMs: timeoutMs,
    },
    maxBytes,
  );
  if (answer.status !== 200) throw new Error(`the file's server answered ${answer.status}`);
  const type = answer.headers['content-type'];
  const mediaType = (Array.isArray(type) ? type[0] : type)?.split(';', 1)[0]?.trim() ?? '';
  return { mediaType: mediaType || 'application/octet-stream', base64: answer.body.toString('base64') };
}
