import { channelStatus, testOutcome, type Words } from '@tollgate/contract';
import { seconds } from '../../lib/clock.ts';
import { abilities as abilityRows, channels as channelRows } from '../../store/index.ts';
import { changing, type ChannelsDeps } from './deps.ts';
import { statusColumns, withReason } from './rows.ts';
import type { Channels } from './service.ts';
import type { ChannelRow } from './types.ts';

/**
 * What Tollgate does to channels by itself: notes of tests and balances, off for a reason, on again
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
        // A test that failed has no time to answer: a refusal is quick and would look like health.
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
      // Many requests fail at once on a dead channel: the first switches it off, the others stop here.
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

/** Words of ours are kept in Chinese, as all texts in rows are; the console shows them in its reader's language. */
const keptReason = (reason: string | Words): string => (typeof reason === 'string' ? reason : reason.zh);

/** Switches a channel unless somebody else did so meanwhile; tells the operators (docs/compatibility.md#notices). */
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
