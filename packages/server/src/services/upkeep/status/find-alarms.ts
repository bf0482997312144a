import { statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type AlarmCause, channelStatus, type RetiringModel } from '@tollgate/contract';
import { type Clock, seconds } from '../../../lib/clock.ts';
import { parseObject } from '../../../lib/json.ts';
import { channels, type Db } from '../../../store/index.ts';
import type { ChannelHealth } from '../../calls/routing/index.ts';
import type { Margins } from '../../money/costs/index.ts';
import type { AlarmSubject } from '../../site/notify/index.ts';
import type { Settings } from '../../site/settings/index.ts';
import { findRetiring } from './retiring-models.ts';

interface FindDeps {
  db: Db;
  settings: Pick<Settings, 'get'>;
  channelHealth: Pick<ChannelHealth, 'report'>;
  margins: Pick<Margins, 'sums'>;
  /** The file of an embedded database; undefined for a server's. */
  databaseFile: string | undefined;
  clock: Clock;
}

/** Minimum number of calls in ten minutes for a failure rate, and the rate of an alarm. */
const fewTries = 20;
const failingShare = 0.5;
/** Interval of what reads much: a day of the log, and the models of all channels. */
const longReadEveryMs = 10 * 60_000;
const gb = 1024 ** 3;

/** Bytes: free space beside a database file, space that its growth or a copy may need, and its size. */
export async function diskRoom(file: string): Promise<{ free: number; needed: number; size: number }> {
  const { bavail, bsize } = await statfs(dirname(file));
  const { size } = statSync(file);
  return { free: bavail * bsize, needed: Math.max(gb, size), size };
}

/** Finds current problems, for each cause visible in tables or figures; not those of budgets. */
export function createAlarmFinder(deps: FindDeps) {
  const { db, settings, channelHealth, clock } = deps;
  let slow: { at: number; losing: AlarmSubject[]; retiring: AlarmSubject[] } | undefined;

  return async (): Promise<Partial<Record<AlarmCause, AlarmSubject[]>>> => {
    const { enabled, autoDisabled } = channelStatus;
    const [rows, health] = await Promise.all([
      channels.watched(db, [enabled, autoDisabled]),
      channelHealth.report({ period: 'hour', by: 'channel', channel: 0 }),
    ]);
    const low = settings.get('AlarmVendorBalance');
    const on = rows.filter(({ status }) => status === enabled);
    if (!slow || Math.abs(clock() - slow.at) >= longReadEveryMs) {
      const retiring = (await findRetiring(db, clock)).map(aboutModel);
      slow = { at: clock(), losing: await findLosses(deps), retiring };
    }
    return {
      channel_off: rows
        .filter(({ status }) => status === autoDisabled)
        .map((row) => about(row, reasonOf(row.other_info))),
      channel_failing: health.rows.flatMap(({ channel, name, series }) => {
        const share = failedShare(series);
        const isOn = on.some(({ id }) => id === channel);
        return isOn && share >= failingShare
          ? [about({ id: channel, name }, `${Math.round(share * 100)} %`)]
          : [];
      }),
      balance_low: on
        .filter((row) => low > 0 && row.balance_updated_time > 0 && row.balance < low)
        .map((row) => about(row, row.balance.toFixed(2))),
      margin_negative: slow.losing,
      model_retires: slow.retiring,
      ...(deps.databaseFile !== undefined && { disk_low: await findFullDisk(deps.databaseFile) }),
    };
  };
}

const about = ({ id, name }: { id: number; name: string }, detail: string): AlarmSubject => ({
  subject: String(id),
  name,
  detail,
});

const aboutModel = ({ model, ends }: RetiringModel): AlarmSubject => ({
  subject: model.slice(0, 64),
  name: model,
  detail: ends,
});

function reasonOf(otherInfo: string): string {
  const reason = parseObject(otherInfo)?.['status_reason'];
  return typeof reason === 'string' && reason !== '' ? reason : '—';
}

/** The failure rate of the last ten minutes; 0 with too few calls. */
function failedShare(series: readonly { tries: number; failed: number }[]): number {
  const last = series.slice(-2);
  const tries = last.reduce((sum, point) => sum + point.tries, 0);
  return tries < fewTries ? 0 : last.reduce((sum, point) => sum + point.failed, 0) / tries;
}

/** Channels with a higher cost in a day than the charges of their calls; calls of unknown cost count on neither side. */
async function findLosses({ margins, settings, clock }: FindDeps): Promise<AlarmSubject[]> {
  const { rows } = await margins.sums({
    by: 'channel',
    start_timestamp: seconds(clock) - 86_400,
    end_timestamp: 0,
    channel: 0,
    model_name: '',
  });
  return rows
    .filter(({ id, margin }) => id > 0 && margin < 0)
    .map((row) => about(row, `$${(-row.margin / settings.get('QuotaPerUnit')).toFixed(2)}`));
}

async function findFullDisk(file: string): Promise<AlarmSubject[]> {
  const { free, needed } = await diskRoom(file);
  return free < needed ? [{ subject: '', name: '', detail: `${(free / gb).toFixed(1)} GB` }] : [];
}
