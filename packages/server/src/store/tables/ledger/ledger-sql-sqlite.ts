import { deferChangeSql } from '../log-archive/changes.ts';

const holdColumns =
  'request_id, account_id, user_id, token_id, channel_id, amount, token_amount, member_id, member_amount, progress, at, node, request, budgets';
const entryColumns =
  'txn, kind, at, account_id, user_id, token_id, channel_id, account_delta, reward_delta, writeoff_delta, outside_delta, token_delta, member_id, member_delta, actor_id, note, budgets';
const logColumns =
  'user_id, created_at, type, content, username, token_name, model_name, quota, prompt_tokens, completion_tokens, use_time, is_stream, channel_id, token_id, "group", other, request_id, team_id, cost, tags';

/** Rows of one statement if there are enough: a fifth cheaper per row than one by one. */
export const rowsAtOnce = 8;

function insert(table: string, columns: string, rows = 1): string {
  const row = `(${columns.replace(/[^,]+/g, '?')})`;
  return `insert into ${table} (${columns}) values ${Array.from({ length: rows }, () => row).join(', ')}`;
}

/**
 * The statements of the ledger's group commit on SQLite. Balances change by differences, and only if the row is
 * unchanged since it was read: the condition is the guard, not the memory.
 */
export const sqliteLedgerSql = {
  begin: 'begin immediate',
  commit: 'commit',
  addToAccount: `update accounts set balance = balance + ?, held = held + ?
    where id = ? and balance = ? and held = ? and next_expiry = ? and expired = ?`,
  addToToken: `update tokens set remain_quota = remain_quota + ?, held = held + ?, used_quota = used_quota + ?,
      accessed_time = case ? when 0 then accessed_time else ? end
    where id = ? and remain_quota = ? and held = ? and unlimited_quota = ?`,
  addToMember: `update team_members set remain_quota = remain_quota + ?, held = held + ?, used_quota = used_quota + ?
    where id = ? and remain_quota = ? and held = ? and unlimited_quota = ?`,
  writeBudget: `update budgets set used = ?, held = ?, calls = ?, window_start = ?, window_end = ?, parts = ?
    where id = ? and used = ? and held = ? and calls = ? and window_start = ? and parts is ? and amount = ? and mode = ?`,
  addWarning: `insert into budget_warnings (budget_id, window_start, share, told) values (?, ?, ?, 0)
    on conflict do nothing`,
  addToUser: 'update users set used_quota = used_quota + ?, request_count = request_count + ? where id = ?',
  addToChannel: 'update channels set used_quota = used_quota + ? where id = ?',
  addToHour: `insert into quota_data (user_id, username, model_name, created_at, token_used, count, quota)
    values (?, ?, ?, ?, ?, ?, ?)
    on conflict (user_id, model_name, created_at) do update set username = excluded.username,
      token_used = token_used + excluded.token_used, count = count + excluded.count, quota = quota + excluded.quota`,
  insertHold: insert('holds', holdColumns),
  updateHold: `update holds set amount = ?, token_amount = ?, member_amount = ?, progress = ?, budgets = ?, request = coalesce(?, request)
    where request_id = ?`,
  deleteHold: 'delete from holds where request_id = ?',
  insertEntry: insert('ledger', entryColumns),
  insertEntries: insert('ledger', entryColumns, rowsAtOnce),
  insertLog: insert('logs', logColumns),
  insertLogs: insert('logs', logColumns, rowsAtOnce),
  markHour: 'insert into log_hour_marks (hour) values (?)',
  markCorrected: `insert into log_hour_marks (hour) select created_at - created_at % 3600 from logs
    where request_id = ? and type = 2`,
  correctQuota: 'update logs set quota = ? where request_id = ? and type = 2',
  correctLog: `update logs set content = ?, prompt_tokens = ?, completion_tokens = ?, use_time = ?, channel_id = ?,
      other = ?, cost = ? where request_id = ? and type = 2`,
  // Like deferOfMissing: only if rows have been moved.
  deferChange: deferChangeSql,
  readAccount: 'select id, balance, held, next_expiry, expired from accounts where id = ?',
  readToken: 'select id, remain_quota, held, unlimited_quota from tokens where id = ?',
  readMember: 'select id, remain_quota, held, unlimited_quota from team_members where id = ?',
  readBudget: `select id, name, period, time_zone, mode, shares, instead, unit, amount, used, held, window_start, window_end, run, max_calls, calls, parts
    from budgets where id = ?`,
  readHold: 'select * from holds where request_id = ?',
  readSettled: 'select txn, account_id, account_delta, writeoff_delta, at, note from ledger where txn = ?',
} as const;
