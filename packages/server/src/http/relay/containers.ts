import type { ContainerCall, RelayCall } from '../../gateway/index.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { FileQuery } from '../../services/calls/routing/index.ts';
import { readQuery } from './files.ts';
import { type AuthorizedRequest, emptyCall, readBodyOf, readJson } from './read-call.ts';

/** Calls about containers in which OpenAI runs code for callers. */
export interface ContainerRouteDeps {
  createContainer(relayCall: RelayCall, json: JsonObject): Promise<JsonObject>;
  passContainer(call: ContainerCall): Promise<void>;
  listFiles(relayCall: RelayCall, query: FileQuery): Promise<object>;
  identityHeaders(requestId: string): Record<string, string>;
  maxBodyBytes: number;
}

/** Answers a call about containers: creation, list, and all calls about one and its files. */
export async function answerContainers(
  deps: ContainerRouteDeps,
  authorized: AuthorizedRequest,
): Promise<void> {
  const { matched, query, req, client, requestId } = authorized;
  const { route, slots } = matched;
  const relayCall = emptyCall(authorized);
  const bytes = route.method === 'POST' ? await readBodyOf(authorized, deps.maxBodyBytes) : undefined;
  const { id, file } = slots;
  if (id !== undefined) {
    const [, rest = ''] = route.path.split('{id}');
    const { method } = route;
    return deps.passContainer({
      relayCall,
      method: method === 'PATCH' ? 'GET' : method,
      containerId: id,
      rest: rest.replace('{file}', encodeURIComponent(file ?? '')),
      body: bytes && { bytes, type: req.headers['content-type'] ?? 'application/json' },
    });
  }
  const body = bytes
    ? await deps.createContainer(relayCall, readJson(bytes).json)
    : await deps.listFiles(relayCall, {
        ...readQuery('containers', query),
        purpose: new URLSearchParams(query).get('name')?.slice(0, 64) ?? '',
      });
  client.head(200, { 'content-type': 'application/json', ...deps.identityHeaders(requestId) });
  client.finish(Buffer.from(JSON.stringify(body)), {});
}
