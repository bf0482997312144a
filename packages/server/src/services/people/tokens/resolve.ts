import type { IncomingHttpHeaders } from 'node:http';
import { role, teamStatus, tokenStatus, userStatus } from '@tollgate/contract';
import type { RelayErrorName } from '@tollgate/contract/relay-errors';
import { LRUCache } from 'lru-cache';
import { type Clock, seconds } from '../../../lib/clock.ts';
import { sha256 } from '../../../lib/hash.ts';
import type { IpRanges } from '../../../lib/outbound/address.ts';
import { randomText } from '../../../lib/random.ts';
import { compileAllowList } from './allow-list.ts';
import { type ChannelRule, joinRules, type StoredRule } from './channel-rule.ts';

/** The team that pays for the calls of a key, and the member with the limit that applies. */
export interface PayingTeam {
  readonly id: number;
  readonly name: string;
  readonly memberId: number;
  /** The user who receives low-balance warnings. */
  readonly ownerId: number;
}

/** A token's team as stored, and the state of the member's limit. */
export interface StoredTeam extends PayingTeam {
  rule: StoredRule;
  status: number;
  /** Unix seconds until which the limit is that of this month; Infinity for a limit without monthly reset. */
  limitUntil: number;
}

/** The calling user for the key check. For a team's token, account and group are the team's. */
export interface TokenOwner {
  id: number;
  accountId: number;
  username: string;
  role: number;
  status: number;
  group: string;
  /** The owner's own setting: unpriced models are allowed. */
  acceptUnsetPrice: boolean;
}

/** The stored token and its owner; neither was deleted. */
export interface StoredToken {
  id: number;
  name: string;
  status: number;
  /** Unix seconds; −1 for never. */
  expiredTime: number;
  remainQuota: number;
  unlimited: boolean;
  modelLimitsEnabled: boolean;
  /** Comma-separated list. */
  modelLimits: string;
  allowIps: string;
  group: string;
  crossGroupRetry: boolean;
  rule: StoredRule;
  owner: TokenOwner;
  team: StoredTeam | null;
  /** Set for a key that this token has made for a run. */
  run?: StoredRun | undefined;
}

/** The run of a key. Its calls are those of the token that made it, within the run. */
export interface StoredRun {
  path: string;
  /** Unix seconds. */
  end: number;
  isOpen: boolean;
  /** The only models of the key; undefined for those of its token. */
  models: readonly string[] | undefined;
}

/** A token that may call. Shared between requests and never changed. */
export interface ResolvedToken {
  readonly kind: 'token';
  readonly id: number;
  readonly name: string;
  /** The masked key for refusals. */
  readonly maskedKey: string;
  /** '' for the owner's group. */
  readonly group: string;
  /** True if a failed call of the group auto may go on to the next group. */
  readonly crossGroupRetry: boolean;
  readonly unlimited: boolean;
  /** Models it may call; null for all. */
  readonly modelLimits: ReadonlySet<string> | null;
  /** What its calls require of channels; null for nothing. */
  readonly channelRule: ChannelRule | null;
  /** Channel selected by the suffix of an administrator's key; 0 for none. */
  readonly pinnedChannelId: number;
  readonly owner: Readonly<TokenOwner>;
  readonly team: PayingTeam | null;
  /** Path of the run that the key was made for. */
  readonly run: string | undefined;
}

/**
 * Reason why a key cannot be used (docs/compatibility.md#relay-keys). Plain data: the relay writes it in the caller's
 * protocol.
 */
interface KeyRefusal {
  readonly kind: 'refusal';
  readonly error: RelayErrorName;
  readonly values: Readonly<Record<string, string | number>>;
}

export type Resolution = ResolvedToken | KeyRefusal;

const refusal = (error: RelayErrorName, values: KeyRefusal['values'] = {}): KeyRefusal => ({
  kind: 'refusal',
  error,
  values,
});

const missing = refusal('no_api_key');
const unknown = refusal('invalid_api_key');
const expired = refusal('token_expired');
const banned = refusal('user_banned');
const teamBanned = refusal('team_banned');
const wrongAddress = refusal('ip_not_allowed');

/** The states that refuse a key for all callers (docs/compatibility.md#relay-keys), in the original's order. */
function refuseState(stored: StoredToken, key: string, isReader: boolean): KeyRefusal | null {
  const masked = maskedKey(key);
  switch (stored.status) {
    case tokenStatus.enabled:
      break;
    case tokenStatus.exhausted:
      if (isReader) break;
      return refusal('token_marked_exhausted', { key: masked });
    case tokenStatus.expired:
      if (isReader) break;
      return expired;
    default:
      return refusal('token_disabled');
  }
  if (!isReader && !stored.unlimited && stored.remainQuota <= 0) {
    return refusal('token_without_quota', { key: masked, remaining: stored.remainQuota });
  }
  if (stored.run?.isOpen === false) return refusal('token_disabled');
  if (stored.owner.status !== userStatus.enabled) return banned;
  return stored.team && stored.team.status !== teamStatus.enabled ? teamBanned : null;
}

/** The channel id after a key. Only administrators may choose a channel. */
function readPin(pin: string, ownerRole: number): number | KeyRefusal {
  if (pin === '') return 0;
  if (ownerRole < role.admin) return refusal('channel_pin_forbidden');
  const id = /^\d{1,15}$/.test(pin) ? Number(pin) : 0;
  return id > 0 ? id : refusal('invalid_channel_id');
}

/** The models of a comma-separated list. */
export const namesIn = (list: string): string[] =>
  list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

interface Entry {
  token: ResolvedToken;
  expiredTime: number;
  allowIps: IpRanges | null;
}

/** Models that a key may call: those of its token, of which the key of a run may have a part. Null for all. */
function modelsOf({ modelLimitsEnabled, modelLimits, run }: StoredToken): ReadonlySet<string> | null {
  const all = modelLimitsEnabled ? new Set(namesIn(modelLimits)) : null;
  if (run?.models === undefined) return all;
  const some = new Set(run.models);
  return all ? new Set([...some].filter((name) => all.has(name))) : some;
}

/** A cached token that may call. */
const entryOf = (stored: StoredToken, key: string, pinnedChannelId: number): Entry => ({
  token: {
    kind: 'token',
    id: stored.id,
    name: stored.name,
    maskedKey: maskedKey(key),
    group: stored.group,
    crossGroupRetry: stored.crossGroupRetry,
    unlimited: stored.unlimited,
    modelLimits: modelsOf(stored),
    channelRule: joinRules(stored.team ? [stored.team.rule, stored.rule] : [stored.rule]),
    pinnedChannelId,
    owner: stored.owner,
    team: stored.team,
    run: stored.run?.path,
  },
  expiredTime: endOf(stored),
  allowIps: compileAllowList(stored.allowIps),
});

/** Unix seconds of the first end of a key and its run; −1 for never. */
const endOf = ({ expiredTime, run }: StoredToken): number => {
  if (!run) return expiredTime;
  return expiredTime === -1 ? run.end : Math.min(expiredTime, run.end);
};

/** What finds the token of a key again, without the key: for secrets that stand for it. */
export interface KeyMark {
  hash: string;
  /** For a text of our form: its hash as a key of another gateway. */
  otherHash?: string | undefined;
  /** True for a key that was made for a run. */
  isOfRun: boolean;
  /** Suffix that selects a channel; '' for none. */
  pin: string;
}

/** The mark of a credential from `readCredential`. */
export function markOfKey(raw: string): KeyMark {
  const { key, pin } = parseKey(raw);
  const isOfRun = isRunKey(key);
  return key.length === keyLength || isOfRun
    ? { hash: sha256(key), isOfRun, pin, otherHash: otherKeyHash(raw) }
    : { hash: otherKeyHash(raw), isOfRun: false, pin: '' };
}

/** Finds the token of a credential. */
export interface KeyResolver {
  /** The token of a credential from `readCredential`, or the refusal. A cached key is not looked up. */
  resolve(raw: string, ip: string): Promise<Resolution>;
  /** The same for reads without cost, which are also allowed with an exhausted or expired key. Reads the database. */
  resolveReader(raw: string, ip: string): Promise<Resolution>;
  /** The token with this hash of its key, for any address; not cached. */
  resolveHash(keyHash: string): Promise<Resolution>;
  /**
   * The token of a key's mark, for an address or, without one, for any; not cached. `isHeld`: its cost is held already, so
   * that a used-up key will do.
   */
  resolveMark(mark: KeyMark, ip?: string, isHeld?: boolean): Promise<Resolution>;
  /** Number of invalidations: a lookup that started before the last one is repeated. */
  changes(): number;
  /** Removes a changed token from the cache. */
  forgetToken(id: number): void;
  /** Removes all cached tokens of a changed user. */
  forgetUser(id: number): void;
  /** Removes all cached tokens of a team after a change of the team or of a member. */
  forgetTeam(id: number): void;
  /** Removes the cached keys of runs after a change of a run. */
  forgetRuns(): void;
  forgetAll(): void;
}

/** Longest credential that is cached: one key can be written in many long ways, such as with blanks around it. */
const maxKnownText = 320;

interface ResolverDeps {
  /** `isOfRun`: a key that was made for a run. */
  find: (keyHash: string, isOfRun?: boolean) => Promise<StoredToken | null>;
  clock: Clock;
  /** Maximum number of cached credentials; the least recently used one is removed first. */
  maxEntries?: number;
  /** Lifetime of a cached credential, in case a change notice is lost. */
  ttlMs?: number;
}

/** The token of an entry, unless it has expired or may not be used from this address. */
function admit({ token, expiredTime, allowIps }: Entry, ip: string, clock: Clock): Resolution {
  if (expiredTime !== -1 && expiredTime <= seconds(clock)) return expired;
  if (allowIps && !allowIps.contains(ip)) return wrongAddress;
  return token;
}

/** Opens the look-up of keys, with the memory of this process. */
export function createKeyResolver({
  find,
  clock,
  maxEntries = 50_000,
  ttlMs = 60_000,
}: ResolverDeps): KeyResolver {
  // By the whole text of the credential, so that a known caller needs one lookup without parsing or hashing.
  // Bounded by size, because `max` would allocate the memory for all entries at once.
  const known = new LRUCache<string, Entry & { readUntil: number }>({
    maxSize: maxEntries,
    sizeCalculation: () => 1,
  });
  // A lookup that started before a change must not be cached after it.
  let changes = 0;

  const lookUp = async (raw: string, ip: string, isReader = false): Promise<Resolution> => {
    let { key, pin } = parseKey(raw);
    if (key === '') return missing;
    const isOfRun = isRunKey(key);
    const before = changes;
    let stored = key.length === keyLength || isOfRun ? await find(sha256(key), isOfRun) : null;
    if (!stored) {
      [key, pin] = [bareText(raw), ''];
      stored = otherKey.test(key) ? await find(otherKeyHash(raw)) : null;
    }
    if (!stored) return unknown;
    const refused = refuseState(stored, key, isReader);
    if (refused) return refused;
    const pinnedChannelId = readPin(pin, stored.owner.role);
    if (typeof pinnedChannelId !== 'number') return pinnedChannelId;
    const entry = entryOf(stored, key, pinnedChannelId);
    if (isReader) return admit({ ...entry, expiredTime: -1 }, ip, clock);
    const readUntil = Math.min(clock() + ttlMs, (stored.team?.limitUntil ?? Infinity) * 1_000);
    if (before === changes && raw.length <= maxKnownText) known.set(raw, { ...entry, readUntil });
    return admit(entry, ip, clock);
  };

  const resolveMark: KeyResolver['resolveMark'] = async (
    { hash, isOfRun, pin, otherHash },
    ip,
    isHeld = false,
  ) => {
    const own = await find(hash, isOfRun);
    const stored = own ?? (otherHash === undefined ? null : await find(otherHash));
    if (!stored) return unknown;
    const refused = refuseState(stored, '', isHeld);
    if (refused) return refused;
    const pinnedChannelId = readPin(own ? pin : '', stored.owner.role);
    if (typeof pinnedChannelId !== 'number') return pinnedChannelId;
    const entry = entryOf(stored, '', pinnedChannelId);
    return admit(ip === undefined ? { ...entry, allowIps: null } : entry, ip ?? '', clock);
  };

  const forget = (matches: (token: ResolvedToken) => boolean): void => {
    changes += 1;
    for (const [raw, entry] of known.entries()) if (matches(entry.token)) known.delete(raw);
  };

  return {
    async resolve(raw, ip) {
      if (raw === '') return missing;
      const entry = known.get(raw);
      return entry && clock() < entry.readUntil ? admit(entry, ip, clock) : lookUp(raw, ip);
    },
    resolveReader: async (raw, ip) => (raw === '' ? missing : lookUp(raw, ip, true)),
    resolveHash: (hash) => resolveMark({ hash, isOfRun: false, pin: '' }),
    resolveMark,
    changes: () => changes,
    forgetToken: (id) => forget((token) => token.id === id),
    forgetTeam: (id) => forget((token) => token.team?.id === id),
    forgetRuns: () => forget((token) => token.run !== undefined),
    forgetUser: (id) => forget((token) => token.owner.id === id),
    forgetAll() {
      changes += 1;
      known.clear();
    },
  };
}

/** Number of characters of a key after its `sk-`. */
export const keyLength = 48;

/** First characters of the key of a run, which is longer than others. */
const runKeyStart = 'run';

const isRunKey = (key: string): boolean =>
  key.startsWith(runKeyStart) && key.length === runKeyStart.length + keyLength;

/** True for a key of another gateway, without `sk-`, that `resolve` reads as one of ours: in one piece, of its length. */
export const isOurForm = (key: string): boolean => key.length === keyLength && !key.includes('-');

/** A new key, without the `sk-`. */
export const newKey = (): string => randomText(keyLength);

/** A new key of a run, without the `sk-`. */
export const newRunKey = (): string => `${runKeyStart}${newKey()}`;

/** The characters of a key that lists may show. */
export const keyHint = (key: string): string => `${key.slice(0, 4)}…${key.slice(-4)}`;

/**
 * The masked form of a key in refusals, in the original's format: `sk-abc***xyz` (docs/compatibility.md#relay-keys).
 */
export const maskedKey = (key: string): string => `sk-${key.slice(0, 3)}***${key.slice(-3)}`;

/** The parsed credential of a caller. */
interface ParsedKey {
  /** Without the `sk-`; '' for none. */
  key: string;
  /** Suffix after a further dash: an administrator's choice of channel; '' for none. */
  pin: string;
}

/** Parses `Bearer sk-KEY-PIN`; `Bearer` and `sk-` may be absent (docs/compatibility.md#relay-keys). */
export function parseKey(raw: string): ParsedKey {
  const [key = '', pin = ''] = bareText(raw).split('-', 2);
  return { key, pin };
}

/** A credential without `Bearer` and `sk-`. Some clients add the prefix to a key that already has it. */
function bareText(raw: string): string {
  let text = raw.replace(/^\s*bearer(\s+|$)/i, '').trim();
  while (text.startsWith('sk-')) text = text.slice(3);
  return text;
}

/** Form of an imported key that differs from ours. */
const otherKey = /^[!-~]{1,256}$/;

/**
 * The stored hash of an imported key in another form than ours, which may have dashes: that of the whole text with its
 * `sk-`. LiteLLM stores the same hash, and no key.
 */
export const otherKeyHash = (raw: string): string => sha256(`sk-${bareText(raw)}`);

const one = (header: string | string[] | undefined): string =>
  Array.isArray(header) ? (header[0] ?? '') : (header ?? '');

const socketKeyPrefix = 'openai-insecure-api-key.';

/** The key of a realtime socket, which browsers can only send as a sub-protocol. */
function socketKey(header: string): string {
  const entry = header
    .split(',')
    .map((each) => each.trim())
    .find((each) => each.startsWith(socketKeyPrefix));
  return entry?.slice(socketKeyPrefix.length) ?? '';
}

/** True for an Authorization header without a key: some clients send only the scheme, or a fixed text. */
const isBlank = (authorization: string): boolean =>
  ['', 'bearer'].includes(authorization.trim().toLowerCase());

/**
 * The preferred carrier for a path, if a request has several: the clients of a vendor also send the Authorization
 * header of their host program.
 */
function expected(path: string, headers: IncomingHttpHeaders): string {
  const isAnthropic =
    path.includes('/v1/messages') || (path.startsWith('/v1/') && headers['anthropic-version'] !== undefined);
  if (isAnthropic) return one(headers['x-api-key']);
  if (headers['x-goog-api-key'] !== undefined && isGooglePath(path)) return one(headers['x-goog-api-key']);
  if (/(^|\/)mj\//.test(path) && headers.authorization === 'midjourney-proxy')
    return one(headers['mj-api-secret']);
  const protocols = headers['sec-websocket-protocol'];
  return protocols === undefined ? '' : socketKey(protocols);
}

/** Google's tokens for browsers have a parameter of their own. */
const inQuery = (query: URLSearchParams): string => query.get('key') ?? query.get('access_token') ?? '';

const isGooglePath = (path: string): boolean =>
  path.startsWith('/v1beta/') ||
  path.startsWith('/v1/models') ||
  path.startsWith('/upload/') ||
  path.startsWith('/ws/');

/**
 * The credential of a relay call as sent by the caller, '' for none, from any carrier: a header of any vendor's
 * clients, the query, or a sub-protocol of a socket. All routes use this function, so that every carrier is checked.
 * `path` is without the query; `query` with or without its question mark.
 */
export function readCredential(path: string, query: string, headers: IncomingHttpHeaders): string {
  const meant = expected(path, headers);
  if (meant !== '') return meant;
  const authorization = headers.authorization ?? '';
  if (!isBlank(authorization)) return authorization;
  return (
    one(headers['x-api-key']) ||
    one(headers['x-goog-api-key']) ||
    one(headers['mj-api-secret']) ||
    (query === '' ? '' : inQuery(new URLSearchParams(query)))
  );
}
