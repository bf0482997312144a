import { open, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { type PriceListFailure, type PriceSourceName, product } from '@tollgate/contract';
import { AnswerTooLarge, type Http } from '../../../lib/outbound/http.ts';
import { transportFailure } from '../../../lib/outbound/transport-failure.ts';
import { readLiteLlm } from './litellm.ts';
import { readOpenRouter } from './openrouter.ts';
import { fieldsOf, isFree, type Listing, type ReadList, tokenPrice } from './listing.ts';
import { vendorOf } from './vendors.ts';

/** Their fields, in dollars per million tokens. */
const fields = {
  input: 'input',
  output: 'output',
  cacheRead: 'cache_read',
  cacheWrite: 'cache_write',
  audioInput: 'input_audio',
  audioOutput: 'output_audio',
} as const;

/** `https://models.dev/api.json`: provider → `models` → model → `cost`. */
export const readModelsDev: ReadList = (json) => {
  const providers = fieldsOf(json);
  if (!providers) throw new Error('not an object of providers');
  return Object.entries(providers).flatMap(([id, provider]) => {
    const models = fieldsOf(fieldsOf(provider)?.['models']) ?? {};
    return Object.entries(models).flatMap(([model, about]) => listingOf(vendorOf(id), model, about));
  });
};

function listingOf(vendor: string, model: string, about: unknown): Listing[] {
  const cost = fieldsOf(fieldsOf(about)?.['cost']);
  if (!cost) return [];
  const names = [model];
  if (isFree(cost, 'input', 'output')) return [{ names, vendor, dollars: null }];
  const dollars = tokenPrice(cost, fields, 'million');
  return dollars ? [{ names, vendor, dollars }] : [];
}

/** The largest list currently has two million bytes. */
export const maxListBytes = 8 * 1024 * 1024;
const timeoutMs = 20_000;

/** Reader of each list. */
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

/** Reason of an unreadable list: a cause with a text in the console, and a technical message for the log. */
export class UnreadableList extends Error {
  readonly why: PriceListFailure;
  /** HTTP status of the response if it is the cause; 0 otherwise. */
  readonly status: number;

  constructor(why: PriceListFailure, message: string, status = 0) {
    super(message);
    this.name = 'UnreadableList';
    this.why = why;
    this.status = status;
  }
}

/** The listings at an address or file; throws `UnreadableList`. */
export async function readList(source: PriceSourceName, place: string, deps: ReadDeps): Promise<Listing[]> {
  const list = parsed(await readText(place, deps));
  try {
    return readers[source](list);
  } catch (error) {
    throw new UnreadableList('other_form', String(error));
  }
}

/** Parses JSON. The error repeats nothing of the text, because a file of the data folder may be a secret. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UnreadableList('not_json', 'it is not JSON');
  }
}

/** The text of a list, from an address or a file. */
async function readText(place: string, { http, dataDir }: ReadDeps): Promise<string> {
  if (place.toLowerCase().startsWith('file:')) return readBelow(dataDir, place.slice('file:'.length));
  const { status, body } = await ask(place, http);
  if (status !== 200) throw new UnreadableList('status', `it answered ${status}`, status);
  return body.toString();
}

const ask = (url: string, http: ReadDeps['http']) =>
  http
    .request(
      {
        method: 'GET',
        url,
        // The help text of the setting repeats this rule.
        headers: { accept: 'application/json', 'accept-encoding': 'identity', 'user-agent': product.id },
        // Root chose the address, and a mirror may be in a private network.
        scope: 'operator',
        headersTimeoutMs: timeoutMs,
        bodyTimeoutMs: timeoutMs,
      },
      maxListBytes,
    )
    .catch((error: unknown) => {
      const why = error instanceof AnswerTooLarge ? 'too_large' : transportFailure(error);
      throw new UnreadableList(why, String(error));
    });

/** Reads a file of the data folder; links that lead out of it are refused. */
async function readBelow(dataDir: string, name: string): Promise<string> {
  const root = await realpath(dataDir);
  const path = await realpath(join(root, name)).catch(noFile);
  if (!path.startsWith(root + sep))
    throw new UnreadableList('outside', 'the file is not below the data folder');
  const file = await open(path, 'r').catch(noFile);
  try {
    const { size } = await file.stat();
    if (size > maxListBytes)
      throw new UnreadableList('too_large', `the file is larger than ${maxListBytes} bytes`);
    return await file.readFile('utf8').catch(noFile);
  } finally {
    await file.close();
  }
}

/** The file is missing or unreadable; the name of the error distinguishes them. */
function noFile(error: unknown): never {
  throw new UnreadableList('no_file', String(error));
}
