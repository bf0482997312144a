import { channelStatus, testOutcome, type Words } from '@tollgate/contract';
import { seconds } from '../../../lib/clock.ts';
import { abilities as abilityRows, channels as channelRows } from '../../../store/index.ts';
import { changing, type ChannelsDeps } from './deps.ts';
import { statusColumns, withReason } from './rows.ts';
import type { Channels } from './service.ts';
import type { ChannelRow } from './types.ts';

/**
 * What Tollgate does with channels automatically: stores results of tests and balances, disables and enables
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
      const columns = {
        status: channelStatus.autoDisabled,
        other_info: withReason(row.other_info, keptReason(reason), now()),
      };
      return switchStatus(deps, row, columns, reason);
    },
    async autoEnable(id) {
      const row = await channelRows.find(db, id);
      if (row?.status !== channelStatus.autoDisabled) return false;
      return switchStatus(deps, row, statusColumns(row, channelStatus.enabled), '');
    },
  };
}

/**
 * Tollgate's own texts are stored in Chinese, like all texts in rows; the console shows them in the reader's
 * language.
 */
const keptReason = (reason: string | Words): string => (typeof reason === 'string' ? reason : reason.zh);

/**
 * Changes a channel's status unless it was changed meanwhile; notifies the operators (docs/compatibility.md#notices).
 */
async function switchStatus(
  deps: ChannelsDeps,
  row: ChannelRow,
  columns: ReturnType<typeof statusColumns>,
  reason: string | Words,
): Promise<boolean> {
  const isOn = columns.status === channelStatus.enabled;
  const isSwitched = await changing(deps, async (db) => {
    if (!(await channelRows.updateFrom(db, row.id, row.status, columns))) return false;
    await abilityRows.setEnabled(db, [row.id], isOn);
    return true;
  });
  if (!isSwitched) return false;
  deps.announce({ id: row.id, name: row.name, status: columns.status ?? row.status, reason });
  return true;
}
