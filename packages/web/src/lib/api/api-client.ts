import {
  type CallOf,
  currentPasswordHeader,
  type DataOf,
  type ExtraOf,
  product,
  type Route,
} from '@tollgate/contract';
import { ApiError, statusMessage } from './api-error.ts';
import { withReauthentication } from './reauthentication.ts';
import { localeOf } from '../i18n.ts';
import { currentUser, endSession } from '../session.ts';
import { stored } from '../storage.ts';

interface CallOptions {
  signal?: AbortSignal;
  /** The caller's current password, for calls that require it again (`reauthenticate` in the contract). */
  password?: string;
}

/** An answer with its fields beside `data`, for the few calls that have some (`time`, `balance`, `group_ratio`). */
export interface Answer<R extends Route> {
  data: DataOf<R>;
  message: string;
  extra: ExtraOf<R>;
}

/** The arguments after the route: none if the route needs no input. */
type CallArguments<R extends Route> =
  Record<string, never> extends CallOf<R>
    ? [input?: CallOf<R>, options?: CallOptions]
    : [input: CallOf<R>, options?: CallOptions];

/**
 * Calls the console API and returns its `data`, typed by the contract. Throws an `ApiError` with a message for the user; a
 * 401 ends the session first. A call that requires a confirmed identity asks the user for it and is repeated.
 */
export async function call<R extends Route>(route: R, ...args: CallArguments<R>): Promise<DataOf<R>> {
  return (await callFull(route, ...args)).data;
}

/** Like `call`, with message and extra fields. */
export async function callFull<R extends Route>(
  route: R,
  ...[input, options = {}]: CallArguments<R>
): Promise<Answer<R>> {
  const { url, body } = addressOf(route, toFields(input));
  const headers = consoleHeaders(body !== undefined);
  if (options.password !== undefined) headers[currentPasswordHeader] = encodeURIComponent(options.password);
  const init: RequestInit = { method: route.method, headers };
  if (body !== undefined) init.body = JSON.stringify(body);
  if (options.signal) init.signal = options.signal;
  const send = async () => readAnswer(await rawFetch(url, init), route);
  return withReauthentication(send, (options.password ?? '') !== '');
}

/**
 * Calls a route that answers with a file, which the browser may keep on its disk. `onPiece` sees its bytes as they arrive. Throws
 * like `call`.
 */
export async function callFile<R extends Route>(
  route: R,
  input: CallOf<R>,
  { onPiece, ...options }: { signal?: AbortSignal; onPiece?: (piece: Uint8Array) => void } = {},
): Promise<Blob> {
  const { url } = addressOf(route, toFields(input));
  const response = await rawFetch(url, { method: route.method, headers: consoleHeaders(false), ...options });
  // A refusal is an envelope.
  const isFile = /^(?:text\/|application\/(?:pdf|jsonl))/.test(response.headers.get('content-type') ?? '');
  if (!isFile) await readAnswer(response.clone(), route);
  if (!onPiece || !response.body) return response.blob();
  const pieces: BlobPart[] = [];
  for (const reader = response.body.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) return new Blob(pieces, { type: response.headers.get('content-type') ?? '' });
    pieces.push(value);
    onPiece(value);
  }
}

/** The only use of `fetch`. A request without an answer throws an `ApiError` with status 0. */
export async function rawFetch(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { credentials: 'same-origin', ...init });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new ApiError({ status: 0, message: statusMessage(0, '', stored.language.get()) });
  }
}

/** Whether the server answers, bypassing all caches. */
export async function isReachable(): Promise<boolean> {
  try {
    return (await rawFetch('/theme.js', { method: 'HEAD', cache: 'no-store' })).ok;
  } catch {
    return false;
  }
}

/**
 * The headers of a console call: the user-id header of docs/compatibility.md#console-guard and the reader's language.
 */
export function consoleHeaders(hasBody: boolean): Record<string, string> {
  const headers: Record<string, string> = {
    accept: 'application/json',
    'accept-language': localeOf(stored.language.get()),
    'new-api-user': String(currentUser()?.id ?? -1),
  };
  if (hasBody) headers['content-type'] = 'application/json';
  return headers;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A value that can be part of a URL. */
const isWord = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

const toFields = (input: unknown): Record<string, unknown> => (isRecord(input) ? { ...input } : {});

/** Fills the path's parameters; the other fields become the query (GET, DELETE) or the body (POST, PUT). */
function addressOf(
  route: Route,
  fields: Record<string, unknown>,
): { url: string; body: Record<string, unknown> | undefined } {
  const path = route.path.replace(/:(\w+)/g, (_slot, name: string) => {
    const value = fields[name];
    delete fields[name];
    return encodeURIComponent(String(value));
  });
  const query = new URLSearchParams();
  const inBody = route.method === 'POST' || route.method === 'PUT';
  // The answer of the human check is a query parameter, whatever the method (docs/compatibility.md#mail).
  if (route.humanCheck && inBody && isWord(fields.turnstile)) {
    query.set('turnstile', String(fields.turnstile));
    delete fields.turnstile;
  }
  if (!inBody) {
    for (const [name, value] of Object.entries(fields)) {
      if (isWord(value) && value !== '') query.set(name, String(value));
    }
  }
  const search = query.size > 0 ? `?${query}` : '';
  return { url: path + search, body: inBody ? fields : undefined };
}

async function readAnswer<R extends Route>(response: Response, route: R): Promise<Answer<R>> {
  const parsed: unknown = await response.json().catch(() => undefined);
  if (response.ok && route.bare === 'data')
    return { data: parsed as DataOf<R>, message: '', extra: undefined as ExtraOf<R> };
  const envelope = isRecord(parsed) ? parsed : {};
  const { success, message, data, code, request_id: requestId, ...extra } = envelope;
  const words = typeof message === 'string' ? message : '';
  if (response.ok && (success === true || (success === undefined && words === 'success'))) {
    // Answers are not validated here: the server's tests check them against the contract.
    return { data: data as DataOf<R>, message: words, extra: extra as ExtraOf<R> };
  }

  if (response.status === 401 && route.access !== 'public') endSession('expired');
  // Two calls of the wallet answer `{message: 'error', data: words}` without `success`
  // (docs/compatibility.md#deliberate-differences).
  const refusal = success === undefined && typeof data === 'string' ? data : words;
  throw new ApiError({
    status: response.status,
    // A refusal of the server has a message; any other failure gets one by its status.
    message:
      response.ok && refusal ? refusal : statusMessage(response.status, refusal, stored.language.get()),
    code: typeof code === 'string' ? code : undefined,
    requestId:
      typeof requestId === 'string'
        ? requestId
        : (response.headers.get(product.headers.requestId) ?? undefined),
    extra,
  });
}
