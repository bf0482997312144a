import { open, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { PriceSourceName } from '@tollgate/contract';
import type { Http } from '../../lib/outbound/http.ts';
import type { ReadList } from './listing.ts';
import { readLiteLlm } from './litellm.ts';
import { readModelsDev } from './models-dev.ts';
import { readOpenRouter } from './openrouter.ts';

/** The largest list has two million bytes today. */
export const maxListBytes = 8 * 1024 * 1024;
const timeoutMs = 20_000;

/** How each list is read. */
export const readers: Readonly<Record<PriceSourceName, ReadList>> = {
  models_dev: readModelsDev,
  litellm: readLiteLlm,
  openrouter: readOpenRouter,
};

export interface ReadDeps {
  http: Pick<Http, 'request'>;
  /** Files of lists are below this folder. */
  dataDir: string;
}

/** The text of a list, from an address or a file; throws with the reason in technical words. */
export async function readText(place: string, { http, dataDir }: ReadDeps): Promise<string> {
  if (place.toLowerCase().startsWith('file:')) return readBelow(dataDir, place.slice('file:'.length));
  const answer = await http.request(
    {
      method: 'GET',
      url: place,
      // Told word by word in the help of the setting.
      headers: { accept: 'application/json', 'accept-encoding': 'identity', 'user-agent': 'tollgate' },
      // Root chose the address: a mirror may stand in a private network.
      scope: 'operator',
      headersTimeoutMs: timeoutMs,
      bodyTimeoutMs: timeoutMs,
    },
    maxListBytes,
  );
  if (answer.status !== 200) throw new Error(`it answered ${answer.status}`);
  return answer.body.toString();
}

/** Reads a file of the data folder; links that lead out of it are refused. */
async function readBelow(dataDir: string, name: string): Promise<string> {
  const root = await realpath(dataDir);
  const path = await realpath(join(root, name));
  if (!path.startsWith(root + sep)) throw new Error('the file is not below the data folder');
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    if (size > maxListBytes) throw new Error(`the file is larger than ${maxListBytes} bytes`);
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}
