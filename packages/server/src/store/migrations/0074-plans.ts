import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/** Plans, and the subscriptions to them. */
export const plans: Migration = {
  name: '0074-plans',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    const { id, integer, text } = write.words;
    const terms = {
      name_zh: text(80),
      name_en: text(80),
      price: text(20),
      currency: text(3),
      balance_price: integer,
      period: text(5),
      quota: integer,
      user_group: text(64),
    };
    return [
      write.table('plans', { columns: { id, ...terms, hidden: integer, created_time: integer } }),
      write.table('subscriptions', {
        columns: {
          id,
          ...terms,
          name: text(64),
          plan_id: integer,
          user_id: integer,
          paid_by: text(8),
          state: text(8),
          periods: integer,
          start_time: integer,
          period_end: integer,
          renews: integer,
          former_group: text(64),
          page_id: text(255),
          provider_id: text(255),
          created_time: integer,
          ended_time: integer,
          due_time: integer,
        },
        unique: [['name']],
      }),
      write.index('subscriptions', 'user', ['user_id']),
      write.index('subscriptions', 'due', ['state', 'due_time']),
      write.addColumn('top_ups', 'balance_price', integer, 0),
    ];
  },
};
