import { channelStatus, containerGigabytes, containerPrice } from '@tollgate/contract';
import { seconds } from '../../lib/clock.ts';
import { sha256 } from '../../lib/hash.ts';
import { type JsonObject, parseObject, textOf, textsUnder } from '../../lib/json.ts';
import { type Channel, refuse, RelayError, type UpstreamCall } from '../../relay/types/index.ts';
import { containerSeconds } from '../../services/calls/routing/index.ts';
import { readRefusal } from '../answer/index.ts';
import type { GatewayDeps, RelayCall } from '../call/index.ts';
import { admitRate, checkRule, checkTags, enterRun, usingGroups } from '../entrance/index.ts';
import { noFile } from '../failover/index.ts';
import { readCeiling, tooLow } from '../hold/index.ts';
import {
  addressOf,
  askChannel,
  passThrough,
  type SaleDeps,
  withoutBody,
  withoutSecrets,
} from '../tasks/index.ts';
import { holdExtra } from './caches.ts';
import { ask, chooseChannel, filesUrl, prepare, takeBack } from './files.ts';
import type { StoredResponseCall } from './stored-responses.ts';

const usualMemory = '1g';
/** Time for the vendor's answer; then the hold is released. */
const makingMs = 600_000;
const askTimeoutMs = 120_000;

/**
 * Makes a container at a channel that has them: that of its files, if it begins with some. Its first session is held
 * before it is made, and then charged. Resolves to the vendor's description.
 */
export async function createContainer(
  deps: SaleDeps,
  relayCall: RelayCall,
  json: JsonObject,
): Promise<JsonObject> {
  const { gateway, sales } = deps;
  const { caller } = relayCall;
  const { channel, group } = await channelFor(gateway, relayCall, json);
  checkTags(gateway, relayCall, group);
  await admitRate(gateway.rate, caller, group);
  const memory = textOf(json['memory_limit']) || usualMemory;
  const dollars = containerPrice * containerGigabytes(memory);
  const ratio = gateway.pricing.groupRatio(group, caller.userGroup) ?? 1;
  const amount = Math.ceil(dollars * ratio * gateway.unitsPerDollar());
  const ceiling = readCeiling(gateway, relayCall.req);
  if (ceiling !== undefined && amount > ceiling) throw tooLow(gateway, ceiling, amount);
  const ofRun = await enterRun(gateway, relayCall);
  const call = await prepare(gateway, relayCall, channel);
  const name = `container:${memory}`.slice(0, 64);
  const sale = await holdExtra(deps, relayCall, { group, name, amount, ms: makingMs, model: name, ofRun });
  let id = '';
  try {
    const body = Buffer.from(JSON.stringify(json));
    const url = filesUrl(gateway, 'containers', channel, '');
    const headers = bodyHeaders(call, 'application/json', body);
    const answer = await ask(gateway, channel, { ...call, headers }, 'POST', url, body);
    const made = parseObject(answer.body);
    id = textOf(made?.['id']);
    if (!made || id === '') throw refuse('answer_unreadable');
    await gateway.vendorFiles.add({
      name: sha256(id),
      user_id: caller.userId,
      kind: 'container',
      purpose: textOf(json['name']).slice(0, 64),
      channel_id: channel.id,
      key_id: channel.chosenKey?.id ?? '',
      bytes: 0,
      expires_at: seconds(gateway.clock) + containerSeconds,
      body: JSON.stringify(made),
    });
    const settled = sale && (await sales.settle(sale, amount));
    if (settled) deps.onSettled(caller, settled);
    return made;
  } catch (error) {
    if (sale) await sales.release(sale);
    if (id !== '') {
      await takeBack(gateway, channel, call, filesUrl(gateway, 'containers', channel, pathOf(id)));
      await gateway.vendorFiles.forget(caller.userId, id);
    }
    throw error;
  }
}

const pathOf = (id: string): string => `/${encodeURIComponent(id)}`;

const bodyHeaders = (call: UpstreamCall, type: string, body: Buffer): Record<string, string> => ({
  ...withoutBody(call.headers),
  'content-type': type,
  'content-length': String(body.length),
});

/** The channel that has the files of a new container, or any that makes containers. */
async function channelFor(
  gateway: GatewayDeps,
  relayCall: RelayCall,
  json: JsonObject,
): Promise<{ channel: Channel; group: string }> {
  const { caller, query } = relayCall;
  const fileIds = textsUnder(json, new Set(['file_ids']));
  const place = await gateway.vendorFiles.findAll(caller.userId, fileIds);
  if (place?.missing !== undefined) throw noFile(relayCall, place.missing);
  const model = new URLSearchParams(query).get('model') ?? '';
  if (!place) return chooseChannel(gateway, { relayCall, api: 'containers', model });
  const [group = ''] = usingGroups(gateway, caller, '');
  return { channel: placed(gateway, relayCall, place, fileIds[0] ?? ''), group };
}

/** The enabled channel, with the key, that has something of the caller. */
function placed(
  { routing }: Pick<GatewayDeps, 'routing'>,
  relayCall: RelayCall,
  place: { id: number; keyId: string } | undefined,
  id: string,
): Channel {
  const routed = place && routing.byId(place.id);
  if (!place || routed?.status !== channelStatus.enabled) throw noFile(relayCall, id, 'id');
  checkRule(relayCall.caller, routed.channel, id.slice(0, 100));
  return routing.withKey(routed.channel, place.keyId);
}

/** A call about a container of the caller, or the files in it. */
export interface ContainerCall {
  relayCall: RelayCall;
  method: StoredResponseCall['method'];
  containerId: string;
  /** The path behind the id, encoded: '', '/files', '/files/{file}' or '/files/{file}/content'. */
  rest: string;
  /** The body of a POST: a form or JSON, and the ids of files that it names. */
  body?: { bytes: Buffer; type: string; fileIds: readonly string[] } | undefined;
}

/** Passes a call to the channel and key that have the container. A container of somebody else does not exist. */
export async function passContainer(gateway: GatewayDeps, asked: ContainerCall): Promise<void> {
  const { relayCall, method, containerId: id, rest, body } = asked;
  const { caller, client, requestId, query } = relayCall;
  const [group = ''] = usingGroups(gateway, caller, '');
  await admitRate(gateway.rate, caller, group);
  const channel = placed(gateway, relayCall, await gateway.vendorFiles.find(caller.userId, id), id);
  await checkFile(gateway, relayCall, channel, body);
  const call = await prepare(gateway, relayCall, channel);
  const url = addressOf(filesUrl(gateway, 'containers', channel, pathOf(id) + rest), '', query);
  const head = { 'content-type': 'application/json', ...gateway.identityHeaders(requestId) };
  if (rest.endsWith('/content')) {
    await passThrough(gateway, client, {
      call: {
        method,
        url,
        headers: withoutBody(call.headers),
        scope: 'operator',
        proxy: channel.setting.proxy,
        silenceMs: askTimeoutMs,
      },
      // A browser must not show it as a page of this site.
      headOf: (status) =>
        status >= 200 && status < 300
          ? {
              status,
              headers: {
                ...head,
                'content-type': 'application/octet-stream',
                'content-disposition': 'attachment',
                'content-security-policy': 'sandbox',
                'x-content-type-options': 'nosniff',
              },
            }
          : undefined,
      missing: noFile(relayCall, id, 'id'),
      readError: (status, contentType, refusal) =>
        withoutSecrets(readRefusal(call, { status, contentType }, refusal), call),
    });
    return;
  }
  const headers = body ? bodyHeaders(call, body.type, body.bytes) : withoutBody(call.headers);
  try {
    const question = { method, url, headers, body: body?.bytes, timeoutMs: askTimeoutMs };
    const answer = await askChannel(gateway, channel, call, question);
    if (method === 'DELETE' && rest === '') await gateway.vendorFiles.forget(caller.userId, id);
    client.head(200, head);
    client.finish(answer.body, {});
  } catch (error) {
    // The vendor has deleted it already, by its expiry.
    const isGone = error instanceof RelayError && error.status === 404;
    if (method === 'DELETE' && rest === '' && isGone) await gateway.vendorFiles.forget(caller.userId, id);
    throw error;
  }
}

/** A file that is copied into a container must be one of the caller, at the same place. */
async function checkFile(
  { vendorFiles }: Pick<GatewayDeps, 'vendorFiles'>,
  relayCall: RelayCall,
  { id, chosenKey }: Channel,
  body: ContainerCall['body'],
): Promise<void> {
  const [first] = body?.fileIds ?? [];
  if (!body || first === undefined) return;
  const place = await vendorFiles.findAll(relayCall.caller.userId, body.fileIds);
  const isApart = place && (place.id !== id || place.keyId !== (chosenKey?.id ?? ''));
  if (isApart || place?.missing !== undefined) throw noFile(relayCall, place.missing ?? first);
}
