import type { SchemaWriter, Step } from '../writer.ts';

export function channels(write: SchemaWriter): Step[] {
  const { integer, real, text, longText } = write.words;
  return [
    write.table('channels', {
      columns: {
        id: integer,
        type: integer,
        key_sealed: longText,
        key_hash: text(64),
        openai_organization: text(255),
        test_model: text(255),
        status: integer,
        name: text(255),
        weight: integer,
        created_time: integer,
        test_time: integer,
        response_time: integer,
        base_url: text(1024),
        other: longText,
        balance: real,
        balance_updated_time: integer,
        models: longText,
        group: text(1024),
        used_quota: integer,
        model_mapping: longText,
        status_code_mapping: longText,
        priority: integer,
        auto_ban: integer,
        other_info: longText,
        tag: text(255),
        setting: longText,
        param_override: longText,
      },
      nullable: ['tag'],
    }),
    write.index('channels', 'key_hash', ['key_hash']),
    write.index('channels', 'tag', ['tag']),
    write.table('abilities', {
      columns: {
        group: text(64),
        model: text(255),
        channel_id: integer,
        enabled: integer,
        priority: integer,
        weight: integer,
        tag: text(255),
      },
      nullable: ['tag'],
      primaryKey: ['group', 'model', 'channel_id'],
    }),
    // A channel's abilities are replaced whenever it is saved.
    write.index('abilities', 'channel', ['channel_id']),
  ];
}
