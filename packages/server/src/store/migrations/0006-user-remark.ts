import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/** Administrators' remarks about a user. */
export const userRemark: Migration = {
  name: '0006-user-remark',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    return [write.addNullable('users', 'remark', write.words.text(255))];
  },
};
