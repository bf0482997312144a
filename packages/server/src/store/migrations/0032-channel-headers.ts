import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/** Headers that a channel sets on its calls. */
export const channelHeaders: Migration = {
  name: '0032-channel-headers',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    return [write.addColumn('channels', 'header_override', write.words.text(4_096), '')];
  },
};
