import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/** A run may have a key of its own, which another key has made for it. */
export const keysOfRuns: Migration = {
  name: '0059-keys-of-runs',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    const { text, longText } = write.words;
    return [
      write.addNullable('budgets', 'key_hash', text(64)),
      write.addNullable('budgets', 'key_hint', text(32)),
      write.addNullable('budgets', 'key_models', longText),
      write.uniqueIndex('budgets', 'key_hash', ['key_hash']),
    ];
  },
};
