import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/** Stored keys that remain when the master key that was used for them is replaced. */
export const keptKeys: Migration = {
  name: '0016-kept-keys',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    const { text } = write.words;
    return [
      write.table('kept_keys', { columns: { name: text(64), key_sealed: text(512) }, primaryKey: ['name'] }),
    ];
  },
};
