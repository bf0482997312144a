import { type GatewayDeps, readRunKey } from '../../gateway/index.ts';
import { sha256 } from '../../lib/hash.ts';
import { refuse } from '../../relay/types/index.ts';
import type { Runs } from '../../services/money/budgets/index.ts';
import { keyHint, newRunKey } from '../../services/people/tokens/index.ts';
import type { IpLimiter } from '../ip-limit.ts';
import { limitedRead } from './key-figures.ts';
import { type AuthorizedRequest, readBodyOf, readJson } from './read-call.ts';

export interface RunKeyDeps extends Pick<GatewayDeps, 'unitsPerDollar'> {
  runs: Pick<Runs, 'open' | 'close'>;
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
  const made = { hash: sha256(key), hint: keyHint(key), tokenId: caller.tokenId, models };
  const end = await deps.runs.open(caller.userId, asked, made);
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
  if (!(await deps.runs.close(caller.userId, run, caller.tokenId))) throw refuse('run_key_unknown', { run });
  return { object: 'key', run, deleted: true };
}
