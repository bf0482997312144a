import type { CacheCall, CacheLife, NewCache } from '../../gateway/index.ts';
import type { RelayCall } from '../../gateway/index.ts';
import { type JsonObject, textOf } from '../../lib/json.ts';
import { refuse } from '../../relay/types/index.ts';
import type { FileQuery } from '../../services/calls/routing/index.ts';
import { readGoogleQuery } from './files.ts';
import { type AuthorizedRequest, emptyCall, namedCall, readBodyOf, readJson } from './read-call.ts';

/** Calls about content that Google caches for callers. */
export interface CacheRouteDeps {
  createCache(order: NewCache): Promise<JsonObject>;
  changeCache(call: CacheCall): Promise<JsonObject>;
  listFiles(relayCall: RelayCall, query: FileQuery): Promise<object>;
  maxBodyBytes: number;
}

/** Answers a call about cached content: creation, list, description, a longer life, deletion. */
export async function answerCaches(deps: CacheRouteDeps, authorized: AuthorizedRequest): Promise<object> {
  const { matched, query } = authorized;
  const { method } = matched.route;
  const { id } = matched.slots;
  if (id === undefined && method === 'POST') return create(deps, authorized);
  if (id === undefined) {
    const listed = readGoogleQuery(new URLSearchParams(query), 'caches');
    return deps.listFiles(emptyCall(authorized), listed);
  }
  const wish =
    method === 'PATCH'
      ? readLife(readJson(await readBodyOf(authorized, deps.maxBodyBytes)).json)
      : method === 'DELETE'
        ? 'delete'
        : 'read';
  return deps.changeCache({ relayCall: emptyCall(authorized), name: `cachedContents/${id}`, wish });
}

async function create(deps: CacheRouteDeps, authorized: AuthorizedRequest): Promise<object> {
  const { raw, json } = readJson(await readBodyOf(authorized, deps.maxBodyBytes));
  const { model: named, ...body } = json;
  const model = textOf(named).replace(/^models\//, '');
  const contents =
    Array.isArray(body['contents']) && body['contents'].length > 0 ? body['contents'] : [{ parts: [] }];
  const { inbound } = authorized;
  const asked = { ...body, contents, model, stream: false, generationConfig: { maxOutputTokens: 1 } };
  return deps.createCache({
    relayCall: namedCall(authorized, inbound, raw, asked),
    body,
    life: readLife(json),
  });
}

/** Longer than anybody caches. */
const maxSeconds = 366 * 86_400;

function readLife({ ttl, expireTime, expire_time: snake }: JsonObject): CacheLife {
  const end = expireTime ?? snake ?? undefined;
  if (end !== undefined) {
    const at = Date.parse(textOf(end));
    if (Number.isNaN(at)) throw refuse('invalid_query');
    return { end: Math.min(at, Date.now() + maxSeconds * 1_000) };
  }
  if (ttl === undefined || ttl === null) return {};
  const [, seconds] = /^(\d{1,9}(?:\.\d{1,9})?)s$/.exec(textOf(ttl)) ?? [];
  if (seconds === undefined || Number(seconds) > maxSeconds) throw refuse('invalid_query');
  return { seconds: Number(seconds) };
}
