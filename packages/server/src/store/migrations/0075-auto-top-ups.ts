import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/** Cards with which balances are topped up, and the rules for that. */
export const autoTopUps: Migration = {
  name: '0075-auto-top-ups',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    const { integer, text } = write.words;
    return [
      write.table('auto_top_ups', {
        columns: {
          user_id: integer,
          enabled: integer,
          below: integer,
          amount: integer,
          month_limit: integer,
          page_id: text(255),
          customer: text(255),
          method: text(255),
          card: text(40),
          problem: text(20),
          order_no: text(64),
          due_time: integer,
        },
        primaryKey: ['user_id'],
      }),
    ];
  },
};
