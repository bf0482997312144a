import { DatabaseSync } from 'node:sqlite';
import { logType } from '@tollgate/contract';
import { boot } from '../../boot/boot.ts';
import { readEnv } from '../../boot/env.ts';
import type { Report } from '../../commands/import/kit/report.ts';
import type { Db } from '../../store/index.ts';
import { startFakeUpstream } from '../upstream/fake-upstream.ts';
import { imported, type MovingDesk, secretKey } from './importing.ts';
import { oldVendor } from './old-vendors.ts';
import {
  modelIn,
  type OldCall,
  type Program,
  recordedCalls,
  requestOf,
  writeRecordedSite,
} from './recorded-calls.ts';

/** Result of a call: success, cost, and the last request to the vendor. */
interface Outcome {
  served: boolean;
  charge: number;
  path: string;
  model: string;
}

/** A recorded call with a different result here. */
export interface ChangedCall {
  call: OldCall;
  there: Outcome;
  here: Outcome;
}

const outcomeThere = ({ status, charge = 0, upstream }: OldCall): Outcome => ({
  served: status === 200,
  charge,
  path: upstream.at(-1)?.url ?? '',
  model: upstream.at(-1)?.model ?? '',
});

/** Imports the recorded site of a program, repeats its calls and returns those with a different result. */
export async function callAgain(
  desk: MovingDesk,
  program: Program,
): Promise<{ calls: number; changed: ChangedCall[]; report: Report }> {
  const upstream = await startFakeUpstream();
  const file = `${desk.place(program)}.db`;
  writeRecordedSite(program, file, upstream.url);
  const env = { DATA_DIR: desk.place(), SECRET_KEY: secretKey };
  const report = await imported(env.DATA_DIR, { from: file });
  const start = { PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'silent', DRAIN_SECONDS: '2' };
  const tollgate = await boot(readEnv({ ...env, ...start }));
  const { db } = tollgate.core.store;
  const keys = keysIn(file);
  const calls = recordedCalls(program);
  const changed: ChangedCall[] = [];
  try {
    for (const call of calls) {
      upstream.script(oldVendor(call));
      const seen = upstream.requests.length;
      const before = await lastLog(db);
      const { path, body } = requestOf(call);
      const answer = await fetch(`http://127.0.0.1:${tollgate.port}${path}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer sk-${keys.get(`${call.user} ${call.key}`)}`,
        },
        body: JSON.stringify(body),
      });
      await answer.text();
      const last = upstream.requests.slice(seen).at(-1);
      const here = {
        served: answer.status === 200,
        charge: await chargedSince(db, before),
        path: last?.path ?? '',
        model: (last && modelIn(last.body)) ?? '',
      };
      const there = outcomeThere(call);
      if (JSON.stringify(here) !== JSON.stringify(there)) changed.push({ call, there, here });
    }
  } finally {
    await tollgate.close();
    await upstream.close();
  }
  return { calls: calls.length, changed, report };
}

/** Keys of a site, by owner name and key name. */
function keysIn(file: string): Map<string, string> {
  const raw = new DatabaseSync(file, { readOnly: true });
  const rows = raw
    .prepare(
      "select u.username || ' ' || t.name as name, t.key from tokens t join users u on u.id = t.user_id",
    )
    .all() as { name: string; key: string }[];
  raw.close();
  return new Map(rows.map(({ name, key }) => [name, key]));
}

async function lastLog(db: Db): Promise<number> {
  const row = await db
    .selectFrom('logs')
    .select(({ fn }) => fn.max('id').as('id'))
    .executeTakeFirst();
  return Number(row?.id ?? 0);
}

async function chargedSince(db: Db, id: number): Promise<number> {
  const row = await db
    .selectFrom('logs')
    .select(({ fn }) => fn.sum('quota').as('sum'))
    .where('id', '>', id)
    .where('type', '=', logType.consume)
    .executeTakeFirst();
  return Number(row?.sum ?? 0);
}
