import { rehearsalSelection, type ReratingData, type ReratingRowData } from '@tollgate/contract';
import type { reratingRows, reratings } from '../../../store/index.ts';

type Listed = NonNullable<Awaited<ReturnType<typeof reratings.findListed>>>;
type ListedRow = Awaited<ReturnType<typeof reratingRows.page>>['items'][number];

/** The completed fraction: of the log rows, or of the charges being undone. */
function progressOf({
  state,
  position,
  first_log: first,
  last_log: last,
  corrected_rows: rows,
}: Listed): number {
  if (state === 'reverting') return rows === 0 ? 0 : Math.min(1, position / rows);
  if (state !== 'running' && state !== 'stopped') return 1;
  return last <= first ? 0 : Math.min(1, (position - first) / (last - first));
}

/** A correction in the API's form. */
export const showRerating = (row: Listed): ReratingData => ({
  id: row.id,
  state: row.state as ReratingData['state'],
  reason: row.reason,
  actor_id: row.actor_id,
  actor_name: row.actor_name ?? '',
  collect: row.collect !== 0,
  progress: progressOf(row),
  selection: rehearsalSelection.parse(JSON.parse(row.selection)),
  options: JSON.parse(row.options) as string[],
  corrected_rows: row.corrected_rows,
  same_rows: row.same_rows,
  given_back: row.given_back,
  collected: row.collected,
  uncollected: row.uncollected,
  left_rows: row.left_rows,
  left_quota: row.left_quota,
  apart_rows: row.apart_rows,
  created_time: row.created_at,
  finished_time: row.finished_at,
  reverted_time: row.reverted_at,
  revert_reason: row.revert_reason,
  not_taken_back: row.not_taken_back,
});

/** One of its charges in the API's form. */
export const showReratingRow = (row: ListedRow): ReratingRowData => ({
  id: row.id,
  log_id: row.log_id,
  request_id: row.request_id,
  user_id: row.user_id,
  username: row.username ?? '',
  team_id: row.team_id,
  model_name: row.model_name,
  charge_before: row.charge_before,
  charge_after: row.charge_after,
  difference: row.moved,
  undone: row.undone,
  state: row.state as ReratingRowData['state'],
});
