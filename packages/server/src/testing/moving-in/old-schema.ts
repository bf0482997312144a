import type { DatabaseKind } from '../../store/index.ts';

/**
 * Columns as GORM creates them from the programs' models. `int` is Go's plain int, `int32` a column of `type:int`, `big`
 * an int64, `name` a text with an index, `v` and `c` texts with a length.
 */
type Tables = Readonly<Record<string, string>>;

/** Schema of new-api in mid-2026. */
export const newApiTables: Tables = {
  users: `id:id username:name password:text display_name:name role:int32 status:int32 email:name github_id:name
    discord_id:name oidc_id:name wechat_id:name telegram_id:name access_token:c32 quota:int32 used_quota:int32
    request_count:int32 group:v64 aff_code:v32 aff_count:int32 aff_quota:int32 aff_history:int32 inviter_id:int32
    deleted_at:date linux_do_id:name setting:text remark:v255 stripe_customer:v64 created_at:big last_login_at:big`,
  tokens: `id:id user_id:int key:v128 status:int name:name created_time:big accessed_time:big expired_time:big
    remain_quota:int unlimited_quota:bool model_limits_enabled:bool model_limits:text allow_ips:text used_quota:int
    group:text cross_group_retry:bool deleted_at:date`,
  channels: `id:id type:int key:text open_ai_organization:text test_model:text status:int name:name weight:int
    created_time:big test_time:big response_time:int base_url:text other:text balance:real balance_updated_time:big
    models:text group:v64 used_quota:big model_mapping:text status_code_mapping:v1024 priority:big auto_ban:int
    other_info:text tag:name setting:text param_override:text header_override:text remark:v255 channel_info:json
    settings:text`,
  abilities: `group:v64 model:v255 channel_id:int enabled:bool priority:big weight:int tag:name`,
  options: `key:key value:text`,
  redemptions: `id:id user_id:int key:c32 status:int name:name quota:int created_time:big redeemed_time:big
    used_user_id:int deleted_at:date expired_time:big`,
  logs: `id:id user_id:int created_at:big type:int content:text username:name token_name:name model_name:name quota:int
    prompt_tokens:int completion_tokens:int use_time:int is_stream:bool channel_id:int channel_name:text token_id:int
    group:name ip:name request_id:v64 other:text`,
  two_fas: `id:id user_id:int secret:v255 is_enabled:bool failed_attempts:int locked_until:date last_used_at:date
    created_at:date updated_at:date deleted_at:date`,
  user_subscriptions: `id:id user_id:int plan_id:int plan_title:v128 amount_total:big amount_used:big start_time:big
    end_time:big status:v32 source:v32 last_reset_time:big next_reset_time:big quota_reset_period:v16`,
  subscription_plans: `id:id title:v128 total_amount:big upgrade_group:v64 quota_reset_period:v16
    quota_reset_custom_seconds:big`,
  top_ups: `id:id user_id:int amount:big money:real trade_no:name payment_method:v50 create_time:big complete_time:big
    status:text`,
  setups: `id:id version:v50 initialized_at:big`,
};

/** Schema of the last version of one-api. */
export const oneApiTables: Tables = {
  users: `id:id username:name password:text display_name:name role:int32 status:int32 email:name github_id:name
    wechat_id:name lark_id:name oidc_id:name access_token:c32 quota:big used_quota:big request_count:int32 group:v32
    aff_code:v32 inviter_id:int32`,
  tokens: `id:id user_id:int key:c48 status:int name:name created_time:big accessed_time:big expired_time:big
    remain_quota:big unlimited_quota:bool used_quota:big models:text subnet:text`,
  channels: `id:id type:int key:text status:int name:name weight:int created_time:big test_time:big response_time:int
    base_url:text other:text balance:real balance_updated_time:big models:text group:v32 used_quota:big
    model_mapping:v1024 priority:big config:text system_prompt:text`,
  abilities: `group:v32 model:name channel_id:int enabled:bool priority:big`,
  options: `key:key value:text`,
  redemptions: `id:id user_id:int key:c32 status:int name:name quota:big created_time:big redeemed_time:big`,
  logs: `id:id user_id:int created_at:big type:int content:text username:name token_name:name model_name:name quota:int
    prompt_tokens:int completion_tokens:int channel_id:int request_id:text elapsed_time:big is_stream:bool
    system_prompt_reset:bool`,
};

/** Schema of one-hub in 2025. */
export const oneHubTables: Tables = {
  users: `id:id username:name password:text display_name:name role:int32 status:int32 email:name github_id:name
    github_id_new:int wechat_id:name telegram_id:big lark_id:name oidc_id:name access_token:c32 quota:int32
    used_quota:int32 request_count:int32 group:v32 aff_code:v32 aff_count:int32 aff_quota:int32 aff_history:int32
    inviter_id:int32 created_time:big deleted_at:date`,
  tokens: `id:id user_id:int key:v59 status:int name:name created_time:big accessed_time:big expired_time:big
    remain_quota:int unlimited_quota:bool used_quota:int group:name backup_group:name deleted_at:date setting:json`,
  channels: `id:id type:int key:text status:int name:name weight:int created_time:big test_time:big response_time:int
    base_url:text other:text balance:real balance_updated_time:big models:text group:v255 tag:v32 used_quota:big
    model_mapping:text model_headers:text priority:big proxy:v255 test_model:v50 only_chat:bool pre_cost:int
    plugin:json`,
  prices: `model:v100 type:text channel_type:int input:double output:double extra_ratios:json`,
  user_groups: `id:id symbol:v50 name:v50 ratio:double api_rate:int public:bool enable:bool`,
  options: `key:key value:text`,
  redemptions: `id:id user_id:int key:c32 status:int name:name quota:int created_time:big redeemed_time:big`,
  logs: `id:id user_id:int created_at:big type:int content:text username:name token_name:name model_name:name quota:int
    prompt_tokens:int completion_tokens:int channel_id:int request_time:int is_stream:bool source_ip:name metadata:json`,
  orders: `id:id user_id:int trade_no:name`,
};

/** Schema of done-hub, which has a few columns more. */
export const doneHubTables: Tables = {
  ...oneHubTables,
  channels: `${oneHubTables['channels']} custom_parameter:text compatible_response:bool allow_extra_body:bool
    cost_ratio:double disabled_stream:json deleted_at:date`,
  prices: `${oneHubTables['prices']} locked:bool long_context:json`,
  users: `${oneHubTables['users']} linuxdo_id:int`,
};

const types: Readonly<Record<DatabaseKind, Readonly<Record<string, string>>>> = {
  sqlite: {
    id: 'integer primary key autoincrement',
    key: 'text primary key',
    int: 'integer',
    int32: 'int',
    big: 'integer',
    bool: 'numeric',
    name: 'text',
    text: 'text',
    json: 'json',
    date: 'datetime',
    real: 'real',
    double: 'real',
  },
  postgres: {
    id: 'bigserial primary key',
    key: 'text primary key',
    int: 'bigint',
    int32: 'integer',
    big: 'bigint',
    bool: 'boolean',
    name: 'text',
    text: 'text',
    json: 'json',
    date: 'timestamptz',
    real: 'decimal',
    double: 'double precision',
  },
  mysql: {
    id: 'bigint auto_increment primary key',
    key: 'varchar(191) primary key',
    int: 'bigint',
    int32: 'int',
    big: 'bigint',
    bool: 'boolean',
    name: 'varchar(191)',
    text: 'longtext',
    json: 'json',
    date: 'datetime(3)',
    real: 'double',
    double: 'double',
  },
};

const typeOf = (kind: DatabaseKind, word: string): string => {
  const length = /^([vc])(\d+)$/.exec(word);
  if (length) return `${length[1] === 'v' ? 'varchar' : 'char'}(${length[2]})`;
  return types[kind][word] ?? word;
};

const quoted = (kind: DatabaseKind, name: string): string => (kind === 'mysql' ? `\`${name}\`` : `"${name}"`);

type Cell = string | number | boolean | Date | null;
/** A row of the old program. Missing columns are null, as after its own migrations. */
export type OldRow = Readonly<Record<string, Cell>>;

/** Statements that create the program's tables. */
export const createStatements = (kind: DatabaseKind, tables: Tables): string[] =>
  Object.entries(tables).map(([table, text]) => {
    const columns = text
      .trim()
      .split(/\s+/)
      .map((column) => {
        const [name = '', type = ''] = column.split(':');
        return `${quoted(kind, name)} ${typeOf(kind, type)}`;
      });
    return `create table ${quoted(kind, table)} (${columns.join(', ')})`;
  });

/** The statement that inserts a row. */
export function insertStatement(kind: DatabaseKind, table: string, row: OldRow): string {
  const names = Object.keys(row).map((name) => quoted(kind, name));
  const values = Object.values(row).map((cell) => literal(kind, cell));
  return `insert into ${quoted(kind, table)} (${names.join(', ')}) values (${values.join(', ')})`;
}

function literal(kind: DatabaseKind, cell: Cell): string {
  if (cell === null) return 'null';
  if (typeof cell === 'number') return String(cell);
  if (typeof cell === 'boolean') return kind === 'postgres' ? String(cell) : cell ? '1' : '0';
  // Date format of GORM's SQLite driver.
  if (cell instanceof Date)
    return `'${cell
      .toISOString()
      .replace('T', ' ')
      .replace('Z', kind === 'mysql' ? '' : '+00:00')}'`;
  const text = cell.replaceAll("'", "''");
  return `'${kind === 'mysql' ? text.replaceAll('\\', '\\\\') : text}'`;
}
