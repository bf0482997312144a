import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/** Budgets, and the budgets that each hold and charge counts on. */
export const budgets: Migration = {
  name: '0037-budgets',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    const { id, integer, text } = write.words;
    return [
      write.table('budgets', {
        columns: {
          id,
          name: text(100),
          set_by: text(8),
          token_id: integer,
          user_id: integer,
          team_id: integer,
          group: text(64),
          model: text(255),
          period: text(8),
          time_zone: text(64),
          mode: text(8),
          amount: integer,
          enabled: integer,
          used: integer,
          held: integer,
          window_start: integer,
          window_end: integer,
          created_time: integer,
        },
      }),
      write.addColumn('holds', 'budgets', text(1_000), ''),
      write.addColumn('ledger', 'budgets', text(1_000), ''),
    ];
  },
};
