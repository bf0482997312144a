import { sql } from 'kysely';
import { SchemaWriter } from './writer.ts';
import type { Migration, Step } from './writer.ts';

/**
 * The first schema: wire-facts 11.1 with our corrections (keys hashed, sessions in SQL, a ledger, the payer apart from
 * the user). Widths are those of the original or wider; only MySQL and PostgreSQL mind them.
 */
export const start: Migration = {
  name: '0001-start',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    return [
      ...money(write),
      ...people(write),
      ...tokens(write),
      ...channels(write),
      ...logs(write),
      ...sums(write),
      ...site(write),
    ];
  },
};

/** The largest integer that JavaScript, and so every part of this program, counts exactly. */
const LARGEST = sql.lit(Number.MAX_SAFE_INTEGER);

function money(write: SchemaWriter): Step[] {
  const { integer, text, longText } = write.words;
  return [
    write.table('accounts', {
      columns: { id: integer, balance: integer, held: integer },
      checks: {
        balance_range: sql`balance >= 0 and balance <= ${LARGEST}`,
        held_range: sql`held >= 0 and held <= ${LARGEST}`,
      },
    }),
    write.table('ledger', {
      columns: {
        id: integer,
        txn: text(128),
        kind: text(20),
        at: integer,
        account_id: integer,
        user_id: integer,
        token_id: integer,
        channel_id: integer,
        account_delta: integer,
        reward_delta: integer,
        writeoff_delta: integer,
        outside_delta: integer,
        token_delta: integer,
        actor_id: integer,
        note: longText,
      },
      // A request id begins with the time, so this index grows at its end and stays cheap.
      unique: [['txn']],
      checks: { sums_to_zero: sql`account_delta + reward_delta + writeoff_delta + outside_delta = 0` },
    }),
    // Balance = sum of the account's entries is checked account by account.
    write.index('ledger', 'account', write.words.thenById('account_id')),
    ...write.appendOnly('ledger'),
    // Holds live for seconds; the table stays small and needs no second index.
    write.table('holds', {
      columns: {
        request_id: text(64),
        account_id: integer,
        user_id: integer,
        token_id: integer,
        channel_id: integer,
        amount: integer,
        token_amount: integer,
        progress: integer,
        at: integer,
        node: text(64),
        request: longText,
      },
      primaryKey: ['request_id'],
      checks: { amounts: sql`amount >= 0 and token_amount >= 0 and progress >= 0` },
    }),
  ];
}

function people(write: SchemaWriter): Step[] {
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
    // Log-in by e-mail and by each kind of third-party identity looks one row up.
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
    // All sessions of a user end with a ban or a new password; the expired ones are swept.
    write.index('sessions', 'user', ['user_id']),
    write.index('sessions', 'expires', ['expires_time']),
  ];
}

function tokens(write: SchemaWriter): Step[] {
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

function channels(write: SchemaWriter): Step[] {
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

/**
 * Ten million rows and more, and one row in every settlement: each index must earn its cost. Lists are newest first by
 * (created_at, id), which is the order of ids but for clocks; so every index ends in the time, serves a time range and
 * the order at once, and grows at few places (the end of each value's run), which stay in memory.
 * Not indexed, because a scan newest first soon fills a page: group (few values), token and user names (the user and
 * token ids carry them), model patterns.
 */
function logs(write: SchemaWriter): Step[] {
  const { integer, text, longText, thenById } = write.words;
  return [
    write.table('logs', {
      columns: {
        id: integer,
        user_id: integer,
        created_at: integer,
        type: integer,
        content: longText,
        username: text(255),
        token_name: text(255),
        model_name: text(255),
        quota: integer,
        prompt_tokens: integer,
        completion_tokens: integer,
        use_time: integer,
        is_stream: integer,
        channel_id: integer,
        token_id: integer,
        group: text(64),
        other: longText,
        request_id: text(64),
      },
    }),
    // The administrator's list, sums over a time range, the last minute's rpm and tpm, clearing old rows.
    write.index('logs', 'time', thenById('created_at')),
    // A user's own list and sums; the administrator's filter by name goes through the id.
    write.index('logs', 'user_time', thenById('user_id', 'created_at')),
    // GET /api/log/token is public and asked by third-party tools; one user may have hundreds of busy tokens.
    write.index('logs', 'token_time', thenById('token_id', 'created_at')),
    // The administrator's filters, which find rare channels and models without walking through everything.
    write.index('logs', 'channel_time', thenById('channel_id', 'created_at')),
    write.index('logs', 'model_time', thenById('model_name', 'created_at')),
    // Top-ups, administration and errors are one row in thousands; consumption (type 2) stays out where it can.
    write.index('logs', 'rare_type_time', thenById('type', 'created_at'), sql`type <> 2`),
    // "What happened to request x?" Request ids begin with the time, so it grows at its end.
    write.index('logs', 'request', ['request_id']),
  ];
}

function sums(write: SchemaWriter): Step[] {
  const { integer, text } = write.words;
  return [
    write.table('quota_data', {
      columns: {
        id: integer,
        user_id: integer,
        username: text(255),
        model_name: text(255),
        created_at: integer,
        token_used: integer,
        count: integer,
        quota: integer,
      },
      // Settlements add to the row of their hour.
      unique: [['user_id', 'model_name', 'created_at']],
    }),
    write.index('quota_data', 'time', ['created_at']),
  ];
}

function site(write: SchemaWriter): Step[] {
  const { integer, text, longText } = write.words;
  return [
    write.table('options', { columns: { key: text(191), value: longText }, primaryKey: ['key'] }),
    write.table('change_marks', { columns: { name: text(191), version: integer }, primaryKey: ['name'] }),
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
    // Pending orders are asked after at the payment provider, oldest first.
    write.index('top_ups', 'status_time', ['status', 'create_time']),
  ];
}
