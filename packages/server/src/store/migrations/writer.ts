import { sql } from 'kysely';
import type { ColumnDataType, RawBuilder } from 'kysely';
import type { Db, DialectHelpers, SchemaWords } from '../dialects/types.ts';

/** One change of the schema. MySQL commits each one by itself, so a migration must be able to resume after each. */
export interface Step {
  (): Promise<unknown>;
  /** The table that it creates, or removes. */
  readonly creates?: string;
  readonly drops?: string;
  /** True if it renames or drops something. */
  readonly takesAway?: true;
}

/** A named list of steps, applied once and never edited after a release. */
export interface Migration {
  name: string;
  steps(db: Db, dialect: DialectHelpers): readonly Step[];
}

export type ColumnType = ColumnDataType | RawBuilder<unknown>;

interface TableParts {
  /**
   * Columns in order; those named in `nullable` may be null, all others may not. There are no defaults: the code sets every value.
   */
  columns: Readonly<Record<string, ColumnType>>;
  nullable?: readonly string[];
  /** The key of a table without an `id`. */
  primaryKey?: readonly string[];
  /** Column lists with unique values. */
  unique?: readonly (readonly string[])[];
  /** Conditions that the database itself enforces, by name: the last protection behind the code. */
  checks?: Readonly<Record<string, RawBuilder<unknown>>>;
}

const takingAway = (step: Step): Step => Object.assign(step, { takesAway: true as const });

/** Writes steps in the SQL of one database. */
export class SchemaWriter {
  readonly words: SchemaWords;
  private readonly db: Db;

  constructor(db: Db, dialect: DialectHelpers) {
    this.db = db;
    this.words = dialect.schema;
  }

  table(name: string, parts: TableParts): Step {
    const lines: RawBuilder<unknown>[] = Object.entries(parts.columns).map(([column, type]) =>
      column === 'id'
        ? sql`${sql.ref(column)} ${this.words.id}`
        : sql`${sql.ref(column)} ${asRaw(type)} ${sql.raw(parts.nullable?.includes(column) ? 'null' : 'not null')}`,
    );
    if (parts.primaryKey) lines.push(sql`primary key (${refs(parts.primaryKey)})`);
    for (const columns of parts.unique ?? []) {
      lines.push(sql`constraint ${sql.ref(`${name}_${columns.join('_')}_unique`)} unique (${refs(columns)})`);
    }
    for (const [check, condition] of Object.entries(parts.checks ?? {})) {
      lines.push(sql`constraint ${sql.ref(`${name}_${check}`)} check (${condition})`);
    }
    const end = parts.primaryKey ? this.words.keyedTableEnd : this.words.tableEnd;
    const create = this.raw(sql`create table ${sql.table(name)} (${sql.join(lines)}) ${end}`);
    return Object.assign(create, { creates: name });
  }

  /** A further column; existing rows get `before`. */
  addColumn(table: string, column: string, type: ColumnType, before: number | string): Step {
    return this.raw(
      sql`alter table ${sql.table(table)} add column ${sql.ref(column)} ${asRaw(type)} not null default ${sql.lit(before)}`,
    );
  }

  /** A further nullable column; it is null in existing rows. */
  addNullable(table: string, column: string, type: ColumnType): Step {
    return this.raw(sql`alter table ${sql.table(table)} add column ${sql.ref(column)} ${asRaw(type)} null`);
  }

  index(table: string, suffix: string, columns: readonly string[], only?: RawBuilder<unknown>): Step {
    const where = only ? this.words.onlyWhere(only) : sql``;
    return this.raw(
      sql`create index ${sql.ref(`${table}_${suffix}`)} on ${sql.table(table)} (${refs(columns)}) ${where}`,
    );
  }

  /** An index with unique values; rows with a null in it are not compared. */
  uniqueIndex(table: string, suffix: string, columns: readonly string[]): Step {
    return this.raw(
      sql`create unique index ${sql.ref(`${table}_${suffix}`)} on ${sql.table(table)} (${refs(columns)})`,
    );
  }

  /** Removes an index made with `index`. */
  dropIndex(table: string, suffix: string): Step {
    return takingAway(this.raw(this.words.dropIndex(table, `${table}_${suffix}`)));
  }

  renameColumn(table: string, column: string, to: string): Step {
    const words = sql`alter table ${sql.table(table)} rename column ${sql.ref(column)} to ${sql.ref(to)}`;
    return takingAway(this.raw(words));
  }

  /** Removes a column with its content. */
  dropColumn(table: string, column: string): Step {
    return takingAway(this.raw(sql`alter table ${sql.table(table)} drop column ${sql.ref(column)}`));
  }

  /** Removes a table with its content. */
  dropTable(table: string): Step {
    const drop = takingAway(this.raw(sql`drop table if exists ${sql.table(table)}`));
    return Object.assign(drop, { drops: table });
  }

  appendOnly(table: string): Step[] {
    return this.words.appendOnly(table).map((statement) => this.raw(statement));
  }

  appendOnlyFor(table: string, seconds: number): Step[] {
    return this.words.appendOnlyFor(table, seconds).map((statement) => this.raw(statement));
  }

  raw(statement: RawBuilder<unknown>): Step {
    return () => statement.execute(this.db);
  }
}

const refs = (columns: readonly string[]): RawBuilder<unknown> =>
  sql.join(columns.map((column) => sql.ref(column)));

const asRaw = (type: ColumnType): RawBuilder<unknown> => (typeof type === 'string' ? sql.raw(type) : type);
