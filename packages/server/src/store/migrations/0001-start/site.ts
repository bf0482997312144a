import type { SchemaWriter, Step } from '../writer.ts';

export function site(write: SchemaWriter): Step[] {
  const { integer, text, longText } = write.words;
  return [
    write.table('options', { columns: { key: text(191), value: longText }, primaryKey: ['key'] }),
    write.table('change_marks', { columns: { name: text(191), version: integer }, primaryKey: ['name'] }),
    // Each process queries every second for changes since its last known version.
    write.index('change_marks', 'version', ['version']),
    write.table('setups', { columns: { id: integer, version: text(50), initialized_at: integer } }),
    write.table('redemptions', {
      columns: {
        id: integer,
        user_id: integer,
        key: text(64),
        status: integer,
        name: text(255),
        quota: integer,
        created_time: integer,
        redeemed_time: integer,
        used_user_id: integer,
        deleted_at: integer,
      },
      nullable: ['deleted_at'],
      unique: [['key']],
    }),
    write.table('top_ups', {
      columns: {
        id: integer,
        user_id: integer,
        amount: integer,
        quota: integer,
        money: text(32),
        trade_no: text(191),
        provider: text(32),
        payment_method: text(64),
        create_time: integer,
        complete_time: integer,
        status: text(20),
      },
      unique: [['trade_no']],
    }),
    write.index('top_ups', 'user', write.words.thenById('user_id')),
    // The payment provider is queried for pending orders, oldest first.
    write.index('top_ups', 'status_time', ['status', 'create_time']),
  ];
}
