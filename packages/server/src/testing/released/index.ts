import { sql } from 'kysely';
import { migrate, type Store } from '../../store/index.ts';
import { migrations } from '../../store/migrations/index.ts';
import { alarmRows, laterRows } from './later-rows.ts';
import { peopleAndMoney, type Row, type Rows } from './rows.ts';

export { annsKey, annsPassword, type Row, secretKey } from './rows.ts';

/** Every schema before the newest, by the name of its last migration. */
export const releasedSchemas: readonly string[] = migrations.slice(0, -1).map(({ name }) => name);

/** Migrations of a released schema, by the name of its last one. */
export const migrationsUpTo = (last: string) =>
  migrations.slice(0, migrations.findIndex(({ name }) => name === last) + 1);

/** Creates a released schema in an empty database, with rows in most of its tables. */
export async function makeReleased(store: Store, last: string): Promise<void> {
  const known = migrationsUpTo(last);
  await migrate(store, { migrations: known });
  const has = (name: string): boolean => known.some((migration) => migration.name === name);
  await write(store, peopleAndMoney(has));
  for (const [name, rows] of Object.entries(laterRows)) if (has(name)) await write(store, rows);
  await write(store, alarmRows(has));
  // Since this migration, each balance is the rest of a grant.
  if (has('0054-grants')) {
    await sql`update accounts set granted = balance`.execute(store.db);
    await sql`insert into grants (account_id, user_id, txn, source, amount, remain, paid, refundable, expires_at,
        created_at, kept_for)
      select id, 0, concat('balance:', id), 'balance', balance, balance, 0, 0, 0, 0, '' from accounts
      where balance > 0`.execute(store.db);
  }
  // Since this migration, the row of a charge has its refund.
  if (has('0021-log-refunds'))
    await sql`update logs set refunded = 25 where request_id = 'call-3' and type = 2`.execute(store.db);
  // This migration marks the hours that already have sums. The test rows are written after the migrations, so the marks are
  // set here.
  if (has('0022-log-hours-by-user-and-model'))
    await sql`insert into log_hour_marks (hour) select distinct hour from log_hours where gone = 0`.execute(
      store.db,
    );
}

async function write({ db }: Store, tables: Rows): Promise<void> {
  for (const [table, rows] of Object.entries(tables))
    for (const row of rows)
      await sql`insert into ${sql.table(table)} (${sql.join(Object.keys(row).map((name) => sql.ref(name)))})
        values (${sql.join(Object.values(row))})`.execute(db);
}

/** All rows of all tables except `migrations`, in an order that does not depend on the database. */
export async function everyRow({ db }: Store): Promise<Map<string, Row[]>> {
  const found = new Map<string, Row[]>();
  for (const { name } of await db.introspection.getTables()) {
    if (name === 'migrations') continue;
    const { rows } = await sql<Row>`select * from ${sql.table(name)}`.execute(db);
    const plain = rows.map((row) => ({ ...row }));
    found.set(
      name,
      plain.toSorted((a, b) => Number(a.id ?? 0) - Number(b.id ?? 0) || byText(a, b)),
    );
  }
  return found;
}

/** Compares by the first column that differs. Later columns are last. */
const byText = (a: Row, b: Row): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
