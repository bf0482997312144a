import { channelStatus, findFacts, type RetiringModel } from '@tollgate/contract';
import { type Clock, seconds } from '../../../lib/clock.ts';
import { sha256 } from '../../../lib/hash.ts';
import { parseObject } from '../../../lib/json.ts';
import { channels, type Db, logHours, noticeCounts } from '../../../store/index.ts';
import { upstreamName } from '../../calls/channels/index.ts';
import type { Notifier } from '../../site/notify/index.ts';

const daySeconds = 86_400;
/** A retirement is announced so many days before; operators see it for some days after. */
const daysBefore = 30;
const daysAfter = 7;
/** Users who used a model in so many days get a notice. */
const usedDays = 30;

const dayAt = (unixSeconds: number): string => new Date(unixSeconds * 1_000).toISOString().slice(0, 10);

/**
 * Models that every enabled channel with them gets from a vendor who shuts them down soon. A model that a channel maps
 * to another one counts as that one.
 */
export async function findRetiring(db: Db, clock: Clock): Promise<RetiringModel[]> {
  const now = seconds(clock);
  const [from, to] = [dayAt(now - daysAfter * daySeconds), dayAt(now + daysBefore * daySeconds)];
  const found = new Map<string, string>();
  for (const row of await channels.mappedModels(db, channelStatus.enabled)) {
    const mapping = parseObject(row.model_mapping) ?? {};
    for (const model of row.models.split(',')) {
      // A model that stays somewhere is no concern of its users.
      const ends = findFacts(upstreamName(mapping, model))?.ends ?? '';
      found.set(model, ends === '' || found.get(model) === '' ? '' : later(ends, found.get(model)));
    }
  }
  return [...found]
    .filter(([, ends]) => ends >= from && ends <= to)
    .map(([model, ends]) => ({ model, ends }))
    .toSorted((a, b) => (a.ends === b.ends ? (a.model < b.model ? -1 : 1) : a.ends < b.ends ? -1 : 1));
}

const later = (day: string, other = ''): string => (day > other ? day : other);

interface AnnounceDeps {
  db: Db;
  notifier: Pick<Notifier, 'modelsRetire'>;
  clock: Clock;
}

/** Notifies those who used a retiring model in the last 30 days, once for each model. */
export async function announceRetiring({ db, notifier, clock }: AnnounceDeps): Promise<void> {
  const now = seconds(clock);
  const due = new Map<number, RetiringModel[]>();
  for (const retiring of await findRetiring(db, clock)) {
    if (retiring.ends < dayAt(now)) continue;
    for (const userId of await logHours.usersOfModel(db, retiring.model, now - usedDays * daySeconds))
      if (await isFirst(db, userId, retiring)) due.set(userId, [...(due.get(userId) ?? []), retiring]);
  }
  for (const [userId, models] of due) notifier.modelsRetire(userId, models);
}

/** Counted from the day of the retirement, so that the count is kept until then. */
const isFirst = (db: Db, userId: number, { model, ends }: RetiringModel): Promise<boolean> =>
  noticeCounts.claim(
    db,
    `retires:${userId}:${sha256(model).slice(0, 32)}`,
    { count: 1, windowMs: 2 * usedDays * daySeconds * 1_000 },
    Date.parse(ends),
  );
