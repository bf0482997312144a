import { type Core, optionsMark } from './core.ts';
import type { Cache } from '../cache/index.ts';
import type { Job } from '../jobs/runner.ts';
import { sharedRun } from '../lib/shared-run.ts';
import { userMark } from '../services/accounts/index.ts';
import { channelsMark } from '../services/channels/index.ts';
import { costsMark } from '../services/costs/index.ts';
import { type KnownProviders, signInProvidersMark } from '../services/oauth/index.ts';
import { teamMark } from '../services/teams/index.ts';
import { shareHealth } from '../services/routing/index.ts';
import { tokenMark } from '../services/tokens/index.ts';
import { changeMarks } from '../store/index.ts';

/**
 * How often other processes' changes are looked for where nobody tells of them, in ms: a ban or a new key is in force
 * everywhere within a second.
 */
const everyMs = 300;

/** What other processes change, followed by this one. */
export interface ChangeFollower {
  /** The version of the newest change that is in force here; no call is admitted by what was before it. */
  seen(): number;
  /** Looks for changes now; when it answers, all that was marked before is in force. */
  look(): Promise<void>;
  readonly jobs: readonly Job[];
  close(): Promise<void>;
}

interface FollowOptions {
  /** True where no other process uses the database. By default that is so on SQLite. */
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
  if (names.includes(signInProvidersMark)) await providers.reload();
}

/** Reads everything again that is kept in memory. */
async function rereadAll(core: Core, providers: KnownProviders): Promise<void> {
  await core.settings.reload();
  await core.routing.reload();
  await core.costs.reload();
  await providers.reload();
  core.keys.forgetAll();
}

/** Lets this process and those that share the cache learn of failing channels together. */
export const shareChannelHealth = (core: Pick<Core, 'routing' | 'events'>, cache: Cache): Promise<void> =>
  shareHealth({
    cache,
    health: core.routing.health,
    onNews: (listener) => void core.events.on('channelHealth', listener),
  });

/**
 * Follows what other processes on the same database change, by their marks: told by the database where it can
 * (PostgreSQL; workers on SQLite), and looking a few times a second everywhere, which repairs what was not told. A
 * process that is alone knows its own changes and follows nothing.
 */
export async function followChanges(
  core: Core,
  providers: KnownProviders,
  { isAlone = core.store.sqlite !== undefined }: FollowOptions = {},
): Promise<ChangeFollower> {
  // What changed between the first reading of everything and now is applied by the first look.
  let seen = core.markAtStart;
  const look = sharedRun(async () => {
    const rows = await changeMarks.since(core.store.db, seen);
    const last = rows.at(-1);
    if (!last) return;
    await apply(
      core,
      providers,
      rows.map((row) => row.name),
    );
    seen = last.version;
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
        // Should a mark ever be missed, what is kept in memory is still no older than this.
        name: 'reread-everything',
        everyMs: core.env.syncSeconds * 1000,
        run: () => rereadAll(core, providers),
      },
    ],
    close: async () => listener?.close(),
  };
}
