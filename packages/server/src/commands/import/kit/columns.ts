import type { ForeignDatabase } from '../../../store/index.ts';
import type { Source } from './detect.ts';

/** Columns by the programs that have them. */
interface Columns {
  both: string;
  'new-api'?: string;
  'one-api'?: string;
  /** Columns of rows that were translated from another program (kit/translated.ts), in addition to those of new-api. */
  translated?: string;
}

/** Every column that is read, by its name in the database: GORM splits `OpenAIOrganization` at each capital. */
const columns = {
  users: {
    both: `id username password display_name role status email github_id oidc_id wechat_id access_token quota used_quota
      request_count group aff_code inviter_id`,
    'new-api': `discord_id telegram_id linux_do_id aff_count aff_quota aff_history setting remark created_at deleted_at`,
    'one-api': 'lark_id',
  },
  tokens: {
    both: `id user_id key status name created_time accessed_time expired_time remain_quota unlimited_quota used_quota`,
    'new-api': 'model_limits_enabled model_limits allow_ips group cross_group_retry deleted_at',
    'one-api': 'models subnet',
    translated: 'key_hash key_hint team_id',
  },
  channels: {
    both: `id type key status name weight priority created_time test_time response_time base_url other balance
      balance_updated_time models group model_mapping`,
    'new-api': `open_ai_organization test_model status_code_mapping auto_ban tag other_info setting settings
      channel_info param_override header_override remark`,
    'one-api': 'config system_prompt',
    translated: 'price_after_mapping',
  },
  redemptions: {
    both: 'id user_id key status name quota created_time redeemed_time',
    'new-api': 'used_user_id expired_time deleted_at',
  },
  options: { both: 'key value' },
  two_fas: { both: '', 'new-api': 'id user_id secret is_enabled deleted_at' },
  user_subscriptions: {
    both: '',
    'new-api': `id user_id plan_id amount_total amount_used end_time status next_reset_time upgrade_group
      downgrade_group prev_user_group`,
  },
  subscription_plans: {
    both: '',
    'new-api': 'id title upgrade_group quota_reset_period quota_reset_custom_seconds',
  },
} satisfies Record<string, Columns>;

const wordsOf = (text: string | undefined): string[] =>
  text?.split(/\s+/).filter((word) => word !== '') ?? [];

/** The columns of a table that a program has. */
export function columnsOf(table: keyof typeof columns, { program }: Pick<Source, 'program'>): string[] {
  const all: Columns = columns[table];
  if (program === 'one-api' || program === 'new-api') return [...wordsOf(all.both), ...wordsOf(all[program])];
  return [...wordsOf(all.both), ...wordsOf(all['new-api']), ...wordsOf(all.translated)];
}

/** Missing columns of a source, as `table.column`: their data cannot be imported. Translated rows have what there is. */
export const missingColumns = (foreign: Pick<ForeignDatabase, 'tables'>, source: Source): string[] =>
  (source.program !== 'one-api' && source.program !== 'new-api'
    ? []
    : (Object.keys(columns) as (keyof typeof columns)[])
  ).flatMap((table) => {
    const there = foreign.tables.get(table);
    const missing = there ? columnsOf(table, source).filter((name) => !there.has(name)) : [];
    return missing.map((name) => `${table}.${name}`);
  });
