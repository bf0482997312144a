import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/** Orders at Stripe have a currency, and a page by whose id they can be asked for and refunded. */
export const stripeOrders: Migration = {
  name: '0082-stripe-orders',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    const { words } = write;
    return [
      write.addColumn('top_ups', 'currency', words.text(3), ''),
      write.addColumn('top_ups', 'page_id', words.text(255), ''),
    ];
  },
};
