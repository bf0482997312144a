import { type GatewayDeps, readRunKey } from '../../gateway/index.ts';
import { sha256 } from '../../lib/hash.ts';
import { refuse } from '../../relay/types/index.ts';
import type { Runs } from '../../services/money/budgets/index.ts';
import { keyHint, newRunKey } from '../../services/people/tokens/index.ts';
import type { Audit } from '../../services/site/audit/index.ts';
import type { IpLimiter } from '../ip-limit.ts';
import { limitedRead } from './key-figures.ts';
import { type AuthorizedRequest, readBodyOf, readJson } from './read-call.ts';

export interface RunKeyDeps extends Pick<GatewayDeps, 'unitsPerDollar'> {
  runs: Pick<Runs, 'open' | 'close'>;
  audit: Pick<Audit, 'during'>;
  dollars: (quota: number) => number;
  maxBodyBytes: number;
  /** Throws if an address has sent too many requests. */
  limitReads: IpLimiter;
}

/**
 * Makes a key for a new run, below the run of the caller's key. Its calls are calls of the caller's key, within the
 * run. The answer is the only one with the key. Throws `run_key_invalid`, and the errors of a run.
 */
export async function makeKey(deps: RunKeyDeps, authorized: AuthorizedRequest): Promise<object> {
  await limitedRead(deps.limitReads, authorized.ip);
  const { json } = readJson(await readBodyOf(authorized, deps.maxBodyBytes));
  const { caller } = authorized;
  const { models, ...asked } = readRunKey(deps, authorized, json);
  const key = newRunKey();
  const made = { hash: sha256(key), hint: keyHint(key), maker: makerOf(authorized), models };
  const end = await audited(deps, authorized, () => deps.runs.open(caller.userId, asked, made));
  return {
    object: 'key',
    key: `sk-${key}`,
    run: asked.path,
    max: deps.dollars(asked.amount),
    calls: asked.calls ?? null,
    models: models ?? null,
    expires_at: end,
  };
}

/** Ends the run of the query with its key, below the caller's own. Throws `run_key_unknown`. */
export async function endKey(deps: RunKeyDeps, authorized: AuthorizedRequest): Promise<object> {
  await limitedRead(deps.limitReads, authorized.ip);
  const { caller, query } = authorized;
  const below = new URLSearchParams(query).get('run') ?? '';
  const run = caller.run === undefined ? below : `${caller.run}/${below}`;
  const close = () => deps.runs.close(caller.userId, run, makerOf(authorized));
  if (!(await audited(deps, authorized, close))) throw refuse('run_key_unknown', { run });
  return { object: 'key', run, deleted: true };
}

const makerOf = ({ caller }: AuthorizedRequest) => ({ id: caller.tokenId, name: caller.tokenName });

/** Audit records of the work are of the caller, by the key. */
const audited = <T>(
  { audit }: Pick<RunKeyDeps, 'audit'>,
  { caller, req, ip, requestId }: AuthorizedRequest,
  work: () => Promise<T>,
): Promise<T> => {
  const actor = { id: caller.userId, username: caller.username };
  const userAgent = req.headers['user-agent'] ?? '';
  return audit.during({ kind: undefined, actor, method: 'key', ip, userAgent, requestId }, work);
};
