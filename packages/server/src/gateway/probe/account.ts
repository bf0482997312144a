import { AppError, channelStatus, keptWords, type Words } from '@tollgate/contract';
import { relayErrors } from '@tollgate/contract/relay-errors';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { type Channel, type BalanceSource, type Provider, RelayError } from '../../relay/types/index.ts';
import type { RoutedChannel } from '../../services/calls/channels/index.ts';
import type { Send } from './send.ts';

export interface AccountDeps {
  provider(type: number): Provider | undefined;
  send: Send;
  /** Names here of the tools that a channel's server lists. Throws RelayError. */
  listTools(channel: Channel): Promise<string[]>;
  noteBalance(channelId: number, dollars: number): Promise<void>;
  autoDisable(channelId: number, reason: string | Words): Promise<unknown>;
  disableKey(channelId: number, keyId: string, reason: string | Words): Promise<unknown>;
  clock: Clock;
  log: Log;
}

/** A vendor's balance needs two or three calls; more than this is an error of the source. */
const maxBalanceSteps = 5;
/** Most model names accepted from an upstream. */
const maxModels = 5_000;

/** The names of the models that an upstream offers for the channel's key. Throws AppError with the cause. */
export async function fetchModels(deps: AccountDeps, channel: Channel): Promise<string[]> {
  const provider = deps.provider(channel.type);
  if (provider?.isToolServer) return fetchTools(deps, channel);
  const source = provider?.fetchModels;
  if (!provider || !source) throw new AppError('not_implemented');
  const { url, headers } = readOrFail(() => source.request(channel));
  checkHost(channel, provider, url);
  const body = await getJson(deps, channel, url, headers);
  return readOrFail(() => [...new Set(source.read(body))].slice(0, maxModels));
}

async function fetchTools(deps: AccountDeps, channel: Channel): Promise<string[]> {
  try {
    return (await deps.listTools(channel)).slice(0, maxModels);
  } catch (cause) {
    if (!(cause instanceof RelayError)) throw cause;
    const detail = cause.words ?? cause.message.slice(0, maxDetail);
    throw new AppError('upstream_request_failed', { detail }, cause);
  }
}
/** Length of a server's own words. */
const maxDetail = 300;

/**
 * Asks the vendor for the channel's remaining balance, in US dollars, and stores it
 * (docs/compatibility.md#automatic-disabling). Of several keys, the sum of those that are on.
 */
export async function updateBalance(deps: AccountDeps, { channel }: RoutedChannel): Promise<number> {
  const usable = channel.keys?.usable ?? [];
  let sum = 0;
  for (const keyed of usable.length > 0 ? usable : [channel]) sum += await askBalance(deps, keyed);
  await deps.noteBalance(channel.id, sum);
  return sum;
}

async function askBalance(deps: AccountDeps, channel: Channel): Promise<number> {
  const provider = deps.provider(channel.type);
  const source = provider?.balance;
  if (!provider || !source) throw new AppError('not_implemented');
  const answers = await gatherAnswers(deps, channel, provider, source);
  const balance = readOrFail(() => source.read(answers));
  if (!Number.isFinite(balance)) throw new AppError('upstream_answer_unreadable', { detail: 'balance' });
  return balance;
}

/**
 * Updates the balance of every enabled channel whose vendor reports one; disables channels without any balance, and keys
 * whose account is empty (docs/compatibility.md#automatic-disabling).
 */
export async function updateBalances(deps: AccountDeps, channels: readonly RoutedChannel[]): Promise<void> {
  for (const routed of channels) {
    const { channel, status, keys } = routed;
    if (status !== channelStatus.enabled || !deps.provider(channel.type)?.balance) continue;
    try {
      if (keys) await updateKeys(deps, channel);
      else if ((await updateBalance(deps, routed)) <= 0)
        await deps.autoDisable(channel.id, keptWords('channelEmpty'));
    } catch (cause) {
      deps.log.warn({ channel: channel.id, err: cause }, 'the balance of a channel could not be read');
    }
  }
}

/** Each of several keys may have a separate account; a failed request for one does not stop the others. */
async function updateKeys(deps: AccountDeps, { id, keys }: Channel): Promise<void> {
  let sum: number | undefined;
  for (const keyed of keys?.usable ?? []) {
    try {
      const balance = await askBalance(deps, keyed);
      sum = (sum ?? 0) + balance;
      if (balance <= 0 && keyed.chosenKey)
        await deps.disableKey(id, keyed.chosenKey.id, keptWords('channelEmpty'));
    } catch (cause) {
      deps.log.warn(
        { channel: id, key: keyed.chosenKey?.hint, err: cause },
        'the balance of a key could not be read',
      );
    }
  }
  if (sum !== undefined) await deps.noteBalance(id, sum);
}

async function gatherAnswers(
  deps: AccountDeps,
  channel: Channel,
  provider: Provider,
  source: BalanceSource,
): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (let step = 0; step < maxBalanceSteps; step += 1) {
    const request = readOrFail(() => source.next(channel, answers, deps.clock()));
    if (!request) break;
    checkHost(channel, provider, request.url);
    answers.push(await getJson(deps, channel, request.url, request.headers));
  }
  return answers;
}

/**
 * A key is sent only to the host for which it was saved, or to another host of the vendor that the channel's address
 * belongs to; never from a private address to the vendor's own.
 */
function checkHost(channel: Channel, provider: Provider, url: string): void {
  const target = URL.parse(url);
  const own = URL.parse(channel.baseUrl);
  const vendor = URL.parse(provider.baseUrl);
  const isVendor = own === null || own.origin === vendor?.origin;
  if (target === null || (!isVendor && target.origin !== own?.origin)) throw new AppError('not_implemented');
}

async function getJson(
  deps: AccountDeps,
  channel: Channel,
  url: string,
  headers: Record<string, string>,
): Promise<unknown> {
  const call = { method: 'GET' as const, url, headers, proxy: channel.setting.proxy };
  const answer = await deps.send(call).catch((cause: unknown) => {
    // The cause may contain internal addresses, so it goes to the log only.
    throw new AppError('upstream_request_failed', { detail: relayErrors.upstream_unreachable }, cause);
  });
  if (answer.status < 200 || answer.status > 299) {
    throw new AppError('upstream_request_failed', { detail: `status ${answer.status}` });
  }
  return readOrFail(() => JSON.parse(answer.body.toString('utf8')) as unknown);
}

/** Reads the answer of an unknown server; any missing part becomes one error message. */
function readOrFail<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new AppError('upstream_answer_unreadable', { detail: 'JSON' }, cause);
  }
}
