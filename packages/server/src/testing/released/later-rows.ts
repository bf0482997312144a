import { entry, log, type Row, type Rows, usageOfAnn } from './rows.ts';

const now = 1_790_000_000;

const planTerms = {
  name_zh: '套餐',
  name_en: 'Plan',
  price: '20.00',
  currency: 'usd',
  balance_price: 10,
  period: 'month',
  quota: 15,
  user_group: '',
};

/** Rows that need a later schema than the first, by the migration that adds their tables or columns. */
export const laterRows: Readonly<Record<string, Rows>> = {
  '0088-receipts': {
    receipt_keys: [
      { serial: 1, kid: 'k'.repeat(43), public_key: 'p'.repeat(43), private_key_sealed: '', created_at: now },
    ],
    receipts: [{ account_id: 2, seq: 1, ledger_id: 1, at: now, body: '{}', signature: 's'.repeat(86) }],
  },
  '0056-budget-warnings': { budget_warnings: [{ budget_id: 1, window_start: now, share: 50, told: 0 }] },
  '0066-kept-responses': {
    kept_responses: [{ name: 'a'.repeat(64), user_id: 2, at: now, size: 2, conversation_sealed: '' }],
  },
  '0003-notice-counts': { notice_counts: [{ name: 'quota:2', since: now, count: 1 }] },
  '0008-identities': {
    identities: [
      { provider: 'github', subject: '42', user_id: 2, created_time: now },
      { provider: 'github', subject: '43', user_id: 3, created_time: now },
      { provider: 'oidc', subject: 'sub-1', user_id: 2, created_time: now },
    ],
  },
  '0010-audit': {
    audit: [
      {
        at: now,
        kind: 'auth.login',
        outcome: '',
        actor_id: 2,
        actor_name: 'ann',
        user_id: 2,
        target_type: '',
        target_id: '',
        target_name: '',
        method: 'password',
        ip: '192.0.2.1',
        user_agent: '',
        request_id: 'login-1',
        detail: '',
      },
    ],
  },
  '0011-second-factor': { recovery_codes: [{ user_id: 3, code_hash: 'a'.repeat(64), active: 1 }] },
  '0012-teams': {
    accounts: [{ balance: 985, held: 0 }],
    teams: [{ name: 'Team', account_id: 4, owner_id: 2, group: 'default', status: 1, created_time: now }],
    team_members: [
      {
        team_id: 1,
        user_id: 2,
        role: 3,
        limit_period: 'none',
        limit_quota: 0,
        period_start: 0,
        remain_quota: -15,
        held: 0,
        unlimited_quota: 1,
        used_quota: 15,
        joined_time: now,
      },
    ],
    ledger: [
      entry({ txn: 'gift:team', kind: 'gift', account_id: 4, user_id: 0, account_delta: 1_000 }),
      entry({
        ...usageOfAnn,
        txn: 'call-2',
        account_id: 4,
        token_id: 0,
        account_delta: -15,
        member_id: 1,
        member_delta: -15,
      }),
    ],
    logs: [log({ request_id: 'call-2', quota: 15, team_id: 1, token_id: 0 })],
  },
  '0013-tasks': {
    tasks: [failedTask()],
    ledger: [
      entry({ ...usageOfAnn, txn: 'call-3', account_delta: -40, token_delta: -40 }),
      entry({ ...usageOfAnn, txn: 'refund:call-3', kind: 'refund', account_delta: 25, token_delta: 25 }),
    ],
    logs: [
      log({ request_id: 'call-3', quota: 40 }),
      log({ request_id: 'call-3', quota: 25, type: 6, content: 'refund' }),
    ],
  },
  '0074-plans': {
    plans: [{ ...planTerms, hidden: 0, created_time: now }],
    subscriptions: [
      {
        ...planTerms,
        name: 'SUB2NO1',
        plan_id: 1,
        user_id: 2,
        paid_by: 'balance',
        state: 'ended',
        periods: 1,
        start_time: now,
        period_end: now,
        renews: 0,
        former_group: '',
        page_id: '',
        provider_id: '',
        created_time: now,
        ended_time: now,
        due_time: now,
      },
    ],
  },
  '0076-invoices': {
    invoice_numbers: [{ series: 'invoice', year: 2026, last: 1 }],
    invoices: [{ series: 'invoice', year: 2026, number: 1, trade_no: 'USR2NO1', facts: '{}' }],
  },
  '0075-auto-top-ups': {
    auto_top_ups: [
      {
        user_id: 2,
        enabled: 0,
        below: 5,
        amount: 20,
        month_limit: 100,
        page_id: '',
        customer: '',
        method: '',
        card: '',
        problem: '',
        order_no: '',
        due_time: 0,
      },
    ],
  },
  '0014-call-costs': { channel_costs: [{ channel_id: 1, rule: '{}', report_key_sealed: '' }] },
  '0020-log-hours': {
    log_hours: [{ kind: 0, ref: 0, name: '', hour: 1_789_992_000, gone: 0, quota: 25, team_quota: 0 }],
  },
  '0037-budgets': {
    budgets: [
      {
        name: 'weekly',
        set_by: 'own',
        token_id: 1,
        user_id: 0,
        team_id: 0,
        group: '',
        model: '',
        period: 'week',
        time_zone: 'UTC',
        mode: 'hard',
        amount: 500,
        enabled: 1,
        used: 0,
        held: 0,
        window_start: 1_789_948_800,
        window_end: 1_790_553_600,
        created_time: now,
      },
    ],
  },
  '0052-alarm-places': {
    alarm_places: [{ service: 'Slack', name: 'on-call', place_sealed: '' }],
  },
  '0059-keys-of-runs': {
    budgets: [
      {
        ...runOf('search'),
        token_id: 1,
        key_hash: 'a'.repeat(64),
        key_hint: 'runA…0000',
        key_models: 'sandbox',
      },
    ],
  },
  '0058-ledger-months': {
    ledger_months: [
      { account_id: 2, month: 1_788_220_800, kind: 'usage', token_id: 1, amount: -15, count: 1 },
    ],
    statement_mails: [{ account_id: 2, user_id: 2, team_id: 0, mailed_until: 1_788_220_800 }],
  },
  '0071-scim-users': {
    scim_users: [
      {
        resource_id: 'c'.repeat(36),
        user_id: 2,
        name_key: 'ann@example.com',
        display_key: 'ann',
        external_id: '00u1',
        emails: '\nann@example.com\n',
        profile: '{"userName":"ann@example.com"}',
        active: 1,
        deleted_time: null,
        created_time: now,
        changed_time: now,
      },
    ],
  },
  '0072-scim-groups': {
    scim_groups: [
      { name: 'Staff', name_key: 'staff', external_id: '', created_time: now, changed_time: now },
    ],
    scim_members: [{ group_id: 1, user_id: 2 }],
  },
  '0073-saml-providers': {
    sign_in_providers: [
      {
        slug: 'corp',
        name: 'Corp',
        kind: 'saml',
        logo: '',
        well_known: 'https://idp.example/metadata',
        issuer: 'https://idp.example',
        client_id: '',
        client_secret_sealed: '',
        scopes: 'openid',
        attributes: '{}',
        enabled: 1,
        position: 0,
        created_time: now,
      },
    ],
  },
  '0063-vendor-objects': {
    vendor_objects: [
      {
        name: 'b'.repeat(64),
        user_id: 2,
        kind: 'file',
        purpose: 'user_data',
        channel_id: 1,
        key_id: '',
        bytes: 8,
        expires_at: now,
        body: '{"id":"file-1"}',
      },
    ],
  },
  '0085-own-batches': {
    kept_parts: [
      {
        object: 'd'.repeat(64),
        user_id: 2,
        size: 0,
        place: 1,
        piece: 0,
        expires_at: now + 9,
        body_sealed: '',
      },
    ],
  },
  '0070-batch-items': {
    batch_items: [{ task_id: 1, name: 'c'.repeat(64), place: 1, price: 0, tokens: 9 }],
  },
  '0050-runs': { budgets: [runOf('nightly')] },
  '0067-token-budgets': {
    budgets: [{ ...runOf('counts'), run: null, period: 'day', max_calls: 0, unit: 'tokens' }],
  },
  '0060-sliding-budgets': {
    budgets: [
      {
        ...runOf('slides'),
        run: null,
        period: 'hour',
        max_calls: 0,
        window_start: 1_789_999_800,
        window_end: 1_790_000_100,
        parts: '',
      },
    ],
  },
};

/** A run of user 2, which has not ended. */
function runOf(name: string): Row {
  return {
    name,
    set_by: 'own',
    token_id: 0,
    user_id: 2,
    team_id: 0,
    group: '',
    model: '',
    period: 'run',
    time_zone: 'UTC',
    mode: 'hard',
    amount: 500,
    enabled: 1,
    used: 0,
    held: 0,
    window_start: now,
    window_end: now + 3_600,
    created_time: now,
    run: name,
    parent: 0,
    max_calls: 200,
    calls: 0,
  };
}

/** A failed image task with a partial refund. */
function failedTask(): Row {
  return {
    task_id: 'task-1',
    platform: 'mj',
    action: 'IMAGINE',
    user_id: 2,
    team_id: 0,
    channel_id: 1,
    model: 'mj_imagine',
    upstream_model: 'mj_imagine',
    vendor_id: 'vendor-1',
    state: 'failure',
    vendor_status: 'FAILURE',
    progress: 100,
    quota: 40,
    request_id: 'call-3',
    bill: '',
    request: '',
    result: '',
    reason: 'refused',
    node: '',
    submit_time: now,
    start_time: now,
    finish_time: now,
    next_poll: 0,
    poll_failures: 0,
    deadline: now,
  };
}

/** A running alarm. Its deliveries had columns of the alarm before they had a table. */
export function alarmRows(has: (migration: string) => boolean): Rows {
  const alarm = { cause: 'channel_off', subject: '1', name: 'main', detail: '', since: now, ended: 0 };
  if (has('0052-alarm-places'))
    return {
      alarms: [alarm],
      alarm_deliveries: [
        { cause: 'channel_off', subject: '1', way: 'mail', told: 1, tries: 0, due: 0 },
        { cause: 'channel_off', subject: '1', way: 'post', told: 0, tries: 2, due: now },
      ],
    };
  const columns = { mail_told: 1, mail_tries: 0, mail_due: 0, post_told: 0, post_tries: 2, post_due: now };
  return has('0040-alarms') ? { alarms: [{ ...alarm, ...columns }] } : {};
}
