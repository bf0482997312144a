import { type Core, optionsMark } from './site.ts';
import type { Cache } from '../cache/index.ts';
import type { Job } from '../jobs/runner.ts';
import { sharedRun } from '../lib/shared-run.ts';
import { userMark } from '../services/people/accounts/index.ts';
import { channelsMark } from '../services/calls/channels/index.ts';
import { budgetsMark } from '../services/money/budgets/index.ts';
import { costsMark } from '../services/money/costs/index.ts';
import { type KnownProviders, signInProvidersMark } from '../services/people/oauth/index.ts';
import { teamMark } from '../services/people/teams/index.ts';
import { shareHealth } from '../services/calls/routing/index.ts';
import { tokenMark } from '../services/people/tokens/index.ts';
import { changeMarks } from '../store/index.ts';

/**
 * Interval for polling changes of other processes if the database does not announce them, in ms. A ban or a new key
 * takes effect everywhere within a second.
 */
const everyMs = 300;

/** Follows the changes of other processes. */
export interface ChangeFollower {
  /** The version of the newest change that is applied here; no call is admitted with older data. */
  seen(): number;
  /** Polls changes now; resolves when all changes marked before are applied. */
  look(): Promise<void>;
  readonly jobs: readonly Job[];
  close(): Promise<void>;
}

interface FollowOptions {
  /** True if no other process uses the database; by default on SQLite. */
  isAlone?: boolean;
}

/** The id in a mark such as `user:17`; undefined for another kind. */
function idIn(name: string, markOf: (id: number) => string): number | undefined {
  const id = Number(name.slice(name.indexOf(':') + 1));
  return Number.isSafeInteger(id) && markOf(id) === name ? id : undefined;
}

async function apply(core: Core, providers: KnownProviders, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const user = idIn(name, userMark);
    if (user !== undefined) {
      core.keys.forgetUser(user);
      core.events.emit('userChanged', user);
    }
    const token = idIn(name, tokenMark);
    if (token !== undefined) core.keys.forgetToken(token);
    const team = idIn(name, teamMark);
    if (team !== undefined) core.keys.forgetTeam(team);
  }
  if (names.includes(optionsMark)) await core.settings.reload();
  if (names.includes(channelsMark)) await core.routing.reload();
  if (names.includes(costsMark)) await core.costs.reload();
  if (names.includes(budgetsMark)) {
    core.runs.forget();
    core.keys.forgetRuns();
    await core.budgetRules.reload();
  }
  if (names.includes(signInProvidersMark)) await providers.reload();
}

/** Reads all cached data again. */
async function rereadAll(core: Core, providers: KnownProviders): Promise<void> {
  await core.settings.reload();
  await core.routing.reload();
  await core.costs.reload();
  core.runs.forget();
  await core.budgetRules.reload();
  await providers.reload();
  core.keys.forgetAll();
}

/** Shares failures of channels between this process and those with the same cache. */
export const shareChannelHealth = (core: Pick<Core, 'routing' | 'events'>, cache: Cache): Promise<void> =>
  shareHealth({
    cache,
    health: core.routing.health,
    onEvent: (listener) => void core.events.on('channelHealth', listener),
  });

/**
 * Follows changes of other processes on the same database by their change marks. PostgreSQL announces them; in
 * addition they are polled a few times a second, in case an announcement is lost. A single process has no changes to
 * follow.
 */
export async function followChanges(
  core: Core,
  providers: KnownProviders,
  { isAlone = core.store.sqlite !== undefined }: FollowOptions = {},
): Promise<ChangeFollower> {
  // The first poll applies everything that changed since the data were first read.
  let seen = core.markAtStart;
  // After an outage another server may answer, which counts its own changes from an earlier one.
  let isUnsure = false;
  const look = sharedRun(async () => {
    const wasUnsure = isUnsure;
    isUnsure = true;
    const { latest, names } = await changeMarks.since(core.store.db, seen);
    if (wasUnsure || latest < seen) await rereadAll(core, providers);
    if (names.length > 0) await apply(core, providers, names);
    seen = latest;
    isUnsure = false;
  });
  if (isAlone) return { seen: () => seen, look, jobs: [], close: () => Promise.resolve() };
  const lookSoon = (): Promise<void> =>
    look().catch((error: unknown) => core.log.warn({ err: error }, 'changes could not be looked for'));
  const listener = core.store.listen?.(lookSoon);
  await look();
  return {
    seen: () => seen,
    look,
    jobs: [
      { name: 'follow-changes', everyMs, run: look },
      {
        // If a mark is ever missed, cached data are not older than this.
        name: 'reread-everything',
        everyMs: core.env.syncSeconds * 1000,
        run: () => rereadAll(core, providers),
      },
    ],
    close: async () => listener?.close(),
  };
}
