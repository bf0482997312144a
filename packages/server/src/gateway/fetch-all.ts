import type { Log } from '../lib/log.ts';
import type { FetchedFile } from '../relay/model/provider.ts';
import { refuse } from '../relay/model/relay-error.ts';

/** Files that one request may name by address. */
const maxFiles = 64;
/** Characters of base64 that they may come to together: they wait in memory for the last of them. */
const maxLength = 128 * 1024 * 1024;

export interface FetchAllDeps {
  /** Fetches a file whose address stands in a request, through the guarded client. */
  fetchFile(this: void, url: string): Promise<FetchedFile>;
  log: Log;
}

/**
 * Fetches what a request names by address, one file after the other; each once, however often it is named. Whoever
 * leaves meanwhile ends it. Throws RelayError (400, 413) in words for the caller.
 */
export async function fetchAll(
  { fetchFile, log }: FetchAllDeps,
  urls: readonly string[],
  ending: { readonly signal: AbortSignal } | undefined,
): Promise<ReadonlyMap<string, FetchedFile>> {
  const wanted = new Set(urls);
  if (wanted.size > maxFiles) {
    throw refuse(400, 'too_many_files', `a request may name at most ${maxFiles} files by address`);
  }
  const files = new Map<string, FetchedFile>();
  let length = 0;
  for (const url of wanted) {
    // Nobody hears this answer any more; it only ends the work.
    if (ending?.signal.aborted)
      throw refuse(499, 'client_gone', 'the caller left before the files were there');
    const file = await fetchFile(url).catch((cause: unknown) => {
      log.info({ err: cause }, 'a file of a request could not be fetched');
      throw refuse(400, 'invalid_file_url', 'a file named in the request could not be fetched');
    });
    length += file.base64.length;
    if (length > maxLength)
      throw refuse(413, 'files_too_large', 'the files named in the request are too large');
    files.set(url, file);
  }
  return files;
}
