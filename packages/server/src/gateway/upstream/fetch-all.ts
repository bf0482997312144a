import type { Log } from '../../lib/log.ts';
import { type FetchedFile, refuse } from '../../relay/types/index.ts';

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
 * Fetches what a request names by address, one file after the other; each once, however often it is named. A caller who
 * leaves meanwhile ends it. Throws RelayError (400, 413) in words for the caller.
 */
export async function fetchAll(
  { fetchFile, log }: FetchAllDeps,
  urls: readonly string[],
  cancellation: { readonly signal: AbortSignal } | undefined,
): Promise<ReadonlyMap<string, FetchedFile>> {
  const wanted = new Set(urls);
  if (wanted.size > maxFiles) {
    throw refuse('too_many_files', { most: maxFiles });
  }
  const files = new Map<string, FetchedFile>();
  let length = 0;
  for (const url of wanted) {
    // Nobody hears this answer any more; it only ends the work.
    if (cancellation?.signal.aborted) throw refuse('client_gone');
    const file = await fetchFile(url).catch((cause: unknown) => {
      log.info({ err: cause }, 'a file of a request could not be fetched');
      throw refuse('invalid_file_url');
    });
    length += file.base64.length;
    if (length > maxLength) throw refuse('files_too_large');
    files.set(url, file);
  }
  return files;
}
