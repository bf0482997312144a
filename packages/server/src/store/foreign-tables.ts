import { product } from '@tollgate/contract';
import type { Migration } from './migrations/writer.ts';
import type { Store } from './open.ts';

/** The database contains tables of another program with names of ours: writing into them would damage that program's data. */
export class ForeignTables extends Error {
  constructor(names: readonly string[]) {
    super(
      `the database holds tables of another program (${names.toSorted().join(', ')}): give ${product.name} a database of its own, empty at first`,
    );
    this.name = 'ForeignTables';
  }
}

/** The names of the tables that migrations make. */
export const madeTables = (
  { db, dialect }: Pick<Store, 'db' | 'dialect'>,
  migrations: readonly Migration[],
): Set<string> =>
  new Set(migrations.flatMap((each) => each.steps(db, dialect).flatMap(({ creates }) => creates ?? [])));

/** Existing tables with the names of tables that the migrations create. */
export async function takenNames(
  store: Pick<Store, 'db' | 'dialect'>,
  migrations: readonly Migration[],
): Promise<string[]> {
  const { db, dialect } = store;
  const ours = madeTables(store, migrations);
  const schema = await dialect.migration.tableSchema(db);
  const tables = await db.introspection.getTables();
  return tables
    .filter((table) => ours.has(table.name) && (schema === undefined || table.schema === schema))
    .map(({ name }) => name);
}
