import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/** Invoices of top-ups and their credit notes, with numbers without gaps. */
export const invoices: Migration = {
  name: '0076-invoices',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    const { integer, text, longText } = write.words;
    return [
      write.table('invoice_numbers', {
        columns: { series: text(20), year: integer, last: integer },
        primaryKey: ['series', 'year'],
      }),
      write.table('invoices', {
        columns: {
          series: text(20),
          year: integer,
          number: integer,
          trade_no: text(255),
          facts: longText,
        },
        primaryKey: ['series', 'year', 'number'],
        unique: [['trade_no', 'series']],
      }),
      write.addColumn('top_ups', 'invoice', text(40), ''),
      write.addColumn('top_ups', 'credit_note', text(40), ''),
    ];
  },
};
