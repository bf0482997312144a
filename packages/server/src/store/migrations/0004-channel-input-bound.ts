import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/**
 * Maximum length of a channel's requests; 0, as for all existing channels, is any length.
 */
export const channelInputBound: Migration = {
  name: '0004-channel-input-bound',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    return [write.addColumn('channels', 'max_input_tokens', write.words.integer, 0)];
  },
};
