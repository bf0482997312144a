import { channelStatus, keptWords, testOutcome, type Words } from '@tollgate/contract';
import { seconds } from '../../../lib/clock.ts';
import { abilities as abilityRows, channels as channelRows, type Db } from '../../../store/index.ts';
import { changing, type ChannelsDeps } from './deps.ts';
import { statusColumns, withReason } from './rows.ts';
import type { Channels } from './service.ts';
import type { ChannelRow } from './types.ts';

/**
 * Automatic operations on channels: stores results of tests and balances, disables and enables
 * (docs/compatibility.md#automatic-disabling).
 */
export function channelUpkeep(
  deps: ChannelsDeps,
): Pick<Channels, 'noteTest' | 'noteBalance' | 'autoDisable' | 'autoEnable'> {
  const { db } = deps;
  const now = () => seconds(deps.clock);
  return {
    async noteTest(id, milliseconds, failure) {
      await channelRows.update(db, id, {
        test_time: now(),
        // A failed test has no response time: a refusal is fast and would look healthy.
        response_time: failure ? 0 : milliseconds,
        test_outcome: failure ? testOutcome.failed : testOutcome.passed,
        test_failure: failure ? JSON.stringify(failure) : null,
      });
    },
    async noteBalance(id, dollars) {
      await channelRows.update(db, id, { balance: dollars, balance_updated_time: now() });
    },
    async autoDisable(id, reason) {
      const row = await channelRows.find(db, id);
      // On a broken channel many requests fail at once: the first one disables it, the others stop here.
      if (row?.status !== channelStatus.enabled) return false;
      return switchStatus(deps, row, offColumns(deps, row, reason), reason);
    },
    async autoEnable(id) {
      const row = await channelRows.find(db, id);
      if (row?.status !== channelStatus.autoDisabled) return false;
      return switchStatus(deps, row, statusColumns(row, channelStatus.enabled), '');
    },
  };
}

const offColumns = (deps: ChannelsDeps, row: ChannelRow, reason: string | Words) => ({
  status: channelStatus.autoDisabled,
  other_info: withReason(row.other_info, keptReason(reason), seconds(deps.clock)),
});

/**
 * Called inside the transaction that changes its keys: an enabled channel is disabled with its last key, and a channel
 * that Tollgate had disabled is enabled with its first one.
 */
export async function followKeys(deps: ChannelsDeps, db: Db, row: ChannelRow, isOn: boolean): Promise<void> {
  if (row.status !== (isOn ? channelStatus.autoDisabled : channelStatus.enabled)) return;
  const reason = isOn ? '' : keptWords('channelKeysOff');
  const columns = isOn ? statusColumns(row, channelStatus.enabled) : offColumns(deps, row, reason);
  await writeStatus(deps, db, row, columns, reason);
}

/**
 * Tollgate's own texts are stored in Chinese, like all texts in rows; the console shows them in the reader's language.
 */
const keptReason = (reason: string | Words): string => (typeof reason === 'string' ? reason : reason.zh);

/**
 * Changes a channel's status unless another change came first; notifies the operators (docs/compatibility.md#notices).
 */
async function switchStatus(
  deps: ChannelsDeps,
  row: ChannelRow,
  columns: ReturnType<typeof statusColumns>,
  reason: string | Words,
): Promise<boolean> {
  return changing(deps, (db, inside) => writeStatus(inside, db, row, columns, reason));
}

async function writeStatus(
  deps: ChannelsDeps,
  db: Db,
  row: ChannelRow,
  columns: ReturnType<typeof statusColumns>,
  reason: string | Words,
): Promise<boolean> {
  if (!(await channelRows.updateFrom(db, row.id, row.status, columns))) return false;
  await abilityRows.setEnabled(db, [row.id], columns.status === channelStatus.enabled);
  deps.announce({ id: row.id, name: row.name, status: columns.status ?? row.status, reason });
  return true;
}
