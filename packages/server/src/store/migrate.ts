import { product } from '@tollgate/contract';
import { sql } from 'kysely';
import type { Db, DialectHelpers } from './dialects/types.ts';
import { whileMigrating } from './drivers/silence.ts';
import { ForeignTables, takenNames } from './foreign-tables.ts';
import { migrations as allMigrations } from './migrations/index.ts';
import type { Migration } from './migrations/writer.ts';
import type { Store } from './open.ts';

/** The applied migrations. They are not in the Database type, because no other code reads them. */
interface MigrationTable {
  name: string;
  /** Completed steps; used only if DDL commits by itself. */
  steps: number;
  /** Unix seconds; 0 while unfinished. */
  applied_at: number;
}

/** The database was written by a newer Tollgate; an older one could misread it, so it does not start. */
export class SchemaTooNew extends Error {
  constructor(name: string) {
    super(`the database has the newer schema ${name}: start a newer version of ${product.name}`);
    this.name = 'SchemaTooNew';
  }
}

interface MigrateOptions {
  migrations?: readonly Migration[];
  clock?: () => number;
  /**
   * Called with the name of each migration before it starts, if the database had a schema already. A migration of a
   * long log takes minutes without other messages.
   */
  onChange?: (name: string) => void;
}

/**
 * Migrates the schema to this version. Safe at every start and from several processes at once: one does the work, the
 * others wait for it. On SQLite and PostgreSQL an interrupted migration leaves nothing behind; on MySQL the next
 * start continues at the step where it stopped. If there is nothing to do, it takes no lock and needs no right to
 * change the schema. Throws SchemaTooNew, and ForeignTables if another program uses the database.
 */
export async function migrate(
  store: Pick<Store, 'db' | 'dialect'>,
  options: MigrateOptions = {},
): Promise<void> {
  const { migrations = allMigrations, clock = Date.now, onChange = () => {} } = options;
  const isDone = (seen: readonly MigrationTable[]): boolean =>
    migrations.every(({ name }) => seen.some((one) => one.name === name && one.applied_at > 0));

  const before = await seenOrNone(store);
  refuseNewer(before, migrations);
  if (isDone(before)) return;
  if (before.length === 0) await refuseForeign(store, migrations);
  const applyAll = async (db: Db): Promise<void> => {
    await createMarks(db, store.dialect);
    const seen = await readMarks(db);
    refuseNewer(seen, migrations);
    for (const migration of migrations) {
      const mark = seen.find(({ name }) => name === migration.name);
      if (!mark || mark.applied_at === 0) {
        if (seen.length > 0) onChange(migration.name);
        await apply(db, store.dialect, migration, mark?.steps ?? 0, clock);
      }
    }
  };
  await whileMigrating(store.db, () => store.dialect.migration.exclusively(store.db, applyAll));
}

function refuseNewer(seen: readonly MigrationTable[], migrations: readonly Migration[]): void {
  const unknown = seen.find(({ name }) => !migrations.some((known) => known.name === name));
  if (unknown) throw new SchemaTooNew(unknown.name);
}

/**
 * On MySQL an existing table counts as created by an interrupted start. The tables of another program would be
 * mistaken for ours, so a start on such a database is refused.
 */
async function refuseForeign(
  store: Pick<Store, 'db' | 'dialect'>,
  migrations: readonly Migration[],
): Promise<void> {
  const taken = await takenNames(store, migrations);
  // Another process may have created them a moment ago.
  if (taken.length > 0 && (await seenOrNone(store)).length === 0) throw new ForeignTables(taken);
}

/** The state of a database's schema relative to this version; changes nothing. */
export async function schemaState(
  store: Pick<Store, 'db' | 'dialect'>,
): Promise<'empty' | 'foreign' | 'older' | 'current' | 'newer'> {
  const seen = await seenOrNone(store);
  if (seen.length === 0) return (await takenNames(store, allMigrations)).length > 0 ? 'foreign' : 'empty';
  const known = new Set(allMigrations.map(({ name }) => name));
  if (seen.some(({ name }) => !known.has(name))) return 'newer';
  const done = seen.filter((mark) => mark.applied_at > 0);
  return done.length < allMigrations.length ? 'older' : 'current';
}

const marksOf = (db: Db) => db.withTables<{ migrations: MigrationTable }>();
const readMarks = (db: Db): Promise<MigrationTable[]> =>
  marksOf(db).selectFrom('migrations').selectAll().execute();

/** The marks, or none if the table does not exist yet. */
async function seenOrNone({ db, dialect }: Pick<Store, 'db' | 'dialect'>): Promise<MigrationTable[]> {
  try {
    return await readMarks(db);
  } catch (error) {
    if (dialect.migration.isMissingTable(error)) return [];
    throw error;
  }
}

async function createMarks(db: Db, { schema }: DialectHelpers): Promise<void> {
  const { integer, text } = schema;
  await db.schema
    .createTable('migrations')
    .ifNotExists()
    .addColumn('name', text(100), (column) => column.primaryKey().notNull())
    .addColumn('steps', integer, (column) => column.notNull())
    .addColumn('applied_at', integer, (column) => column.notNull())
    .modifyEnd(schema.tableEnd)
    .execute();
}

async function apply(
  db: Db,
  dialect: DialectHelpers,
  migration: Migration,
  done: number,
  clock: () => number,
): Promise<void> {
  const marks = marksOf(db);
  const { transactional, isAlreadyDone } = dialect.migration;
  const note = (steps: number, appliedAt: number): Promise<unknown> =>
    marks
      .updateTable('migrations')
      .set({ steps, applied_at: appliedAt })
      .where('name', '=', migration.name)
      .execute();

  const exists = await marks
    .selectFrom('migrations')
    .select(sql`1`.as('one'))
    .where('name', '=', migration.name)
    .executeTakeFirst();
  if (!exists) {
    await marks.insertInto('migrations').values({ name: migration.name, steps: 0, applied_at: 0 }).execute();
  }
  const steps = migration.steps(db, dialect);
  for (let i = done; i < steps.length; i += 1) {
    const step = steps[i]!;
    try {
      await step();
    } catch (error) {
      // An earlier start may have died between the step and its mark.
      if (i > done || !exists || !isAlreadyDone(error, step.takesAway === true)) throw error;
    }
    if (!transactional) await note(i + 1, 0);
  }
  await note(steps.length, Math.floor(clock() / 1000));
}
