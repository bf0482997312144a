import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/** Regions and retention that keys and organisations permit for their calls. */
export const channelRules: Migration = {
  name: '0053-channel-rules',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    const { integer, text } = write.words;
    return ['tokens', 'teams'].flatMap((table) => [
      write.addColumn(table, 'regions', text(255), ''),
      write.addColumn(table, 'no_retention', integer, 0),
    ]);
  },
};
