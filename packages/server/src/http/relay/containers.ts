import type { ContainerCall, RelayCall } from '../../gateway/index.ts';
import { type JsonObject, textsUnder } from '../../lib/json.ts';
import type { FileQuery } from '../../services/calls/routing/index.ts';
import { readQuery } from './files.ts';
import { type AuthorizedRequest, emptyCall, readBodyOf, readJson } from './read-call.ts';
import { isForm, readForm } from './read-form.ts';

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
    const type = req.headers['content-type'] ?? '';
    return deps.passContainer({
      relayCall,
      method: route.method,
      containerId: id,
      rest: rest.replace('{file}', encodeURIComponent(file ?? '')),
      body: bytes && (await readFileBody(bytes, type)),
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

/** A new file of a container: a form or JSON, in either of which a field may name a file at the vendor. */
async function readFileBody(bytes: Buffer, type: string): Promise<ContainerCall['body']> {
  const isMultipart = isForm(type);
  const { json } = isMultipart ? await readForm(bytes, type, { defaultModel: undefined }) : readJson(bytes);
  const fileIds = textsUnder(json, new Set(['file_id']));
  return { bytes, type: isMultipart ? type : 'application/json', fileIds };
}
