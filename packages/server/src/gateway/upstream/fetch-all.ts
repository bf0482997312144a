import type { Log } from '../../lib/log.ts';
import { type FetchedFile, refuse } from '../../relay/types/index.ts';

/** Most files by address in one request. */
const maxFiles = 64;
/** Total base64 characters of these files: they are in memory until the last one has arrived. */
const maxLength = 128 * 1024 * 1024;

export interface FetchAllDeps {
  /** Fetches a file by its address, through the guarded client. */
  fetchFile(this: void, url: string): Promise<FetchedFile>;
  log: Log;
}

/**
 * Fetches the files that a request refers to by address, one after the other; each once, however often it occurs.
 * Stops if the caller disconnects. Throws RelayError (400, 413) for the caller.
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
    // This error has no reader any more; it only ends the work.
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
