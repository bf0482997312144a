import type { RelayErrorEntry } from './entry.ts';

/** Errors of balances, prices and the ledger. Amounts have the format of the site. */
export const moneyErrors = {
  insufficient_user_quota: {
    status: 403,
    blame: 'caller',
    isBilling: true,
    zh: '用户额度不足',
    en: 'user quota is not enough',
  },
  hold_exceeds_user_quota: {
    status: 403,
    blame: 'caller',
    isBilling: true,
    code: 'insufficient_user_quota',
    zh: '预扣费额度失败，用户剩余额度：{available}，需要预扣费额度：{needed}',
    en: '{what} pre-consumed quota failed, user quota: {available}, need quota: {needed}',
  },
  hold_exceeds_token_quota: {
    status: 403,
    blame: 'caller',
    isBilling: true,
    code: 'pre_consume_token_quota_failed',
    zh: '令牌额度不足，令牌剩余额度：{available}，需要额度：{needed}',
    en: 'token quota is not enough, token remain quota: {available}, need quota: {needed}',
  },
  hold_exceeds_member_limit: {
    status: 403,
    blame: 'caller',
    isBilling: true,
    code: 'member_limit_reached',
    zh: '您在该组织中的额度上限不足，剩余：{available}，需要：{needed}，请联系组织管理者',
    en: 'Your limit in this organisation is not enough: {available} left, {needed} needed. Ask a manager of the organisation',
  },
  budget_reached: {
    status: 403,
    blame: 'caller',
    isBilling: true,
    zh: '预算“{budget}”不足以支付该请求，本期于 {until} 结束',
    en: 'The budget {budget} does not cover this call; its period ends at {until}',
  },
  max_cost_invalid: {
    status: 400,
    blame: 'caller',
    zh: '请求头 {header} 应为以美元表示的金额，例如 0.05',
    en: 'The header {header} must be an amount in US dollars, such as 0.05',
  },
  tags_invalid: {
    status: 400,
    blame: 'caller',
    zh: '请求头 {header} 应为至多 16 个标签，例如 team=search, env=prod；值至多 200 个字符',
    en: 'The header {header} must be at most 16 tags, such as team=search, env=prod, with values of at most 200 characters',
  },
  tags_required: {
    status: 400,
    blame: 'caller',
    zh: '该请求缺少必填标签：{tags}（请求头 {header}）',
    en: 'This call needs the tags {tags} ({header})',
  },
  max_cost_too_low: {
    status: 400,
    blame: 'caller',
    zh: '该请求至少需要 {needed}，高于 {header} 设定的上限 {ceiling}',
    en: 'This call costs at least {needed}, which is above its ceiling of {ceiling} ({header})',
  },
  max_cost_reached: {
    status: 400,
    blame: 'caller',
    zh: '回答已达到 {header} 设定的费用上限',
    en: 'The answer has reached the ceiling of its cost ({header})',
  },
  quota_held: {
    status: 429,
    blame: 'caller',
    code: 'rate_limit_exceeded',
    zh: '剩余额度正被其他进行中的请求占用，请稍后重试',
    en: 'Other running calls hold what is left of this quota, please try again when one of them has ended',
    retryAfterSeconds: 2,
  },
  model_price_error: {
    status: 400,
    blame: 'caller',
    zh: '模型 {model} 倍率或价格未配置，请联系管理员设置或开始自用模式',
    en: 'Model {model} ratio or price not set, please set or start self-use mode',
  },
  ledger_unavailable: {
    status: 503,
    blame: 'ours',
    zh: '数据库连接失败',
    en: 'The database cannot be reached, please try again later',
    retryAfterSeconds: 2,
  },
} as const satisfies Record<string, RelayErrorEntry>;
