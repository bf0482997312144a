import { type Core, optionsMark } from './core.ts';
import type { Job } from '../jobs/runner.ts';
import { userMark } from '../services/accounts/index.ts';
import { channelsMark } from '../services/channels/index.ts';
import { costsMark } from '../services/costs/index.ts';
import { type KnownProviders, signInProvidersMark } from '../services/oauth/index.ts';
import { teamMark } from '../services/teams/index.ts';
import { tokenMark } from '../services/tokens/index.ts';
import { changeMarks } from '../store/index.ts';

/** How often other processes' changes are looked for: a ban or a new key is in force everywhere within a second. */
const everyMs = 500;

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

/**
 * Follows what other processes on the same database change, by their marks. On SQLite one process serves alone and
 * knows its own changes, so there is nothing to follow.
 */
export async function followChanges(core: Core, providers: KnownProviders): Promise<Job[]> {
  if (core.store.kind === 'sqlite') return [];
  let seen = await changeMarks.latest(core.store.db);
  return [
    {
      name: 'follow-changes',
      everyMs,
      async run() {
        const rows = await changeMarks.since(core.store.db, seen);
        const last = rows.at(-1);
        if (!last) return;
        await apply(
          core,
          providers,
          rows.map((row) => row.name),
        );
        seen = last.version;
      },
    },
    {
      // Should a mark ever be missed, what is kept in memory is still no older than this.
      name: 'reread-everything',
      everyMs: core.env.syncSeconds * 1000,
      async run() {
        await core.settings.reload();
        await core.routing.reload();
        await core.costs.reload();
        await providers.reload();
        core.keys.forgetAll();
      },
    },
  ];
}
