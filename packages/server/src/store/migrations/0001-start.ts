import { channels } from './0001-start/channels.ts';
import { logs, sums } from './0001-start/logs.ts';
import { money } from './0001-start/money.ts';
import { people, tokens } from './0001-start/people.ts';
import { site } from './0001-start/site.ts';
import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/**
 * The first schema: wire-facts 11.1 with our corrections (keys hashed, sessions in SQL, a ledger, the payer apart from
 * the user). Widths are those of the original or wider; only MySQL and PostgreSQL mind them.
 */
export const start: Migration = {
  name: '0001-start',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    return [
      ...money(write),
      ...people(write),
      ...tokens(write),
      ...channels(write),
      ...logs(write),
      ...sums(write),
      ...site(write),
    ];
  },
};
