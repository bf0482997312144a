import { sql } from 'kysely';
import type { Db } from '../../packages/server/src/store/index.ts';

/** Rows of one statement. */
const chunk = 100_000;

/** Common values of the rows. `i` distinguishes the rows and counts from 0. */
export interface RowSpan {
  from: number;
  count: number;
  /** Unix seconds of the first row, and the interval between rows. */
  start: number;
  apart: number;
  /** True if nine of ten rows are calls of one user to one model. */
  isBusy: boolean;
}

/** Inserts rows with SQL that all databases understand: numbers come from two recursions of a thousand, MariaDB's limit. */
export async function insertRows(db: Db, { from, count, start, apart, isBusy }: RowSpan): Promise<void> {
  const user = isBusy ? sql`(case when i % 10 < 9 then 1 else i % 500 + 1 end)` : sql`(i % 500 + 1)`;
  const usualModel = sql`concat('model-', (i % 500 + i % 7919 % 4 * 10) % 40)`;
  const model = isBusy ? sql`(case when i % 10 < 9 then 'model-busy' else ${usualModel} end)` : usualModel;
  const other = JSON.stringify({
    model_ratio: 1.25,
    group_ratio: 1,
    completion_ratio: 4,
    model_price: -1,
    cache_tokens: 0,
    cache_ratio: 0.1,
    frt: 412,
    admin_info: { use_channel: ['7'] },
    terms: [
      ['input', 1250, 1.25],
      ['output', 310, 5],
      ['cached', 0, 0.125],
    ],
  });
  for (let done = 0; done < count; done += chunk) {
    const part = Math.min(chunk, count - done);
    const at = sql`${sql.lit(start)} + floor((i - ${sql.lit(from)}) * ${sql.raw(apart.toFixed(9))})`;
    await sql`
      insert into logs (user_id, created_at, type, content, username, token_name, model_name, quota, prompt_tokens,
        completion_tokens, use_time, is_stream, channel_id, token_id, ${sql.ref('group')}, other, request_id, team_id, cost,
        refunded)
      with recursive n(i) as (select 0 union all select i + 1 from n where i < 999),
        numbers(i) as (select ${sql.lit(from + done)} + a.i * 1000 + b.i from n a cross join n b
          where a.i * 1000 + b.i < ${sql.lit(part)})
      select ${user}, ${at}, 2, '', concat('user', ${user}), concat('token', i % 3), ${model}, i % 900, i % 2000, i % 700,
        i % 30, i % 2, i * 31 % 20 + 1, ${user}, 'default', ${sql.lit(other)}, concat('seed', i),
        case when i % 50 = 0 then 1 else 0 end, i % 600, case when i % 1000 = 0 then i % 900 else 0 end
      from numbers`.execute(db);
  }
}
