import { channels } from './channels.ts';
import { logs, sums } from './logs.ts';
import { money } from './money.ts';
import { people, tokens } from './people.ts';
import { site } from './site.ts';
import { SchemaWriter } from '../writer.ts';
import type { Migration } from '../writer.ts';

/**
 * The first schema: docs/compatibility.md#tables with our corrections (keys hashed, sessions in SQL, a ledger, the
 * payer apart from the user). Widths are those of the original or wider; only MySQL and PostgreSQL mind them.
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
