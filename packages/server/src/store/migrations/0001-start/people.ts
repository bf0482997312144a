import { sql } from 'kysely';
import type { SchemaWriter, Step } from '../writer.ts';

export function people(write: SchemaWriter): Step[] {
  const { integer, text, longText } = write.words;
  const identities = ['github_id', 'oidc_id', 'wechat_id', 'telegram_id', 'linux_do_id'];
  return [
    write.table('users', {
      columns: {
        id: integer,
        account_id: integer,
        username: text(255),
        password: text(255),
        display_name: text(255),
        role: integer,
        status: integer,
        email: text(255),
        github_id: text(255),
        oidc_id: text(255),
        wechat_id: text(255),
        telegram_id: text(255),
        linux_do_id: text(255),
        access_token_hash: text(64),
        used_quota: integer,
        request_count: integer,
        group: text(64),
        aff_code: text(32),
        aff_count: integer,
        aff_quota: integer,
        aff_history: integer,
        inviter_id: integer,
        setting: longText,
        created_time: integer,
        deleted_at: integer,
      },
      nullable: ['access_token_hash', 'aff_code', 'deleted_at'],
      unique: [['username'], ['access_token_hash'], ['aff_code']],
      checks: { aff_quota_range: sql`aff_quota >= 0` },
    }),
    // Log-in by e-mail and by each kind of third-party identity reads one row.
    ...['email', ...identities].map((column) => write.index('users', column, [column])),
    write.index('users', 'inviter', ['inviter_id']),
    write.index('users', 'account', ['account_id']),
    write.table('sessions', {
      columns: {
        id_hash: text(64),
        user_id: integer,
        created_time: integer,
        seen_time: integer,
        expires_time: integer,
        ip: text(64),
        user_agent: text(255),
      },
      primaryKey: ['id_hash'],
    }),
    // All sessions of a user end with a ban or a new password; expired ones are deleted by a job.
    write.index('sessions', 'user', ['user_id']),
    write.index('sessions', 'expires', ['expires_time']),
  ];
}

export function tokens(write: SchemaWriter): Step[] {
  const { integer, text, longText } = write.words;
  return [
    write.table('tokens', {
      columns: {
        id: integer,
        user_id: integer,
        key_hash: text(64),
        key_sealed: longText,
        key_hint: text(32),
        status: integer,
        name: text(255),
        created_time: integer,
        accessed_time: integer,
        expired_time: integer,
        remain_quota: integer,
        held: integer,
        unlimited_quota: integer,
        model_limits_enabled: integer,
        model_limits: longText,
        allow_ips: longText,
        used_quota: integer,
        group: text(64),
        deleted_at: integer,
      },
      nullable: ['deleted_at'],
      unique: [['key_hash']],
      checks: { held_range: sql`held >= 0` },
    }),
    write.index('tokens', 'user', write.words.thenById('user_id')),
  ];
}
