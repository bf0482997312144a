import { accountErrors } from './errors-accounts.ts';
import { costErrors, reconciliationErrors, priceChangeErrors, priceErrors } from './refusals/prices.ts';
import { secondFactorErrors } from './refusals/second-factor.ts';
import { settingErrors } from './errors-settings.ts';
import { signInErrors } from './refusals/sign-in.ts';
import { teamErrors } from './refusals/teams.ts';
import { type ErrorEntry, type ErrorValues, fillWords, type Language } from './words.ts';

/** Refusals because of a site's mode (docs/compatibility.md#modes). */
const modeErrors = {
  // Consoles of the original recognise a demo site by this status.
  demo_site: {
    status: 405,
    zh: '本站仅作演示之用，无法进行此操作',
    en: 'This is a demo site: this cannot be done here',
  },
} as const;

export { type ErrorValues, fillWords, type Language, type Words } from './words.ts';

/**
 * All errors of console calls: code → status and texts. `{name}` is replaced from the error's values. The Chinese
 * texts are the original's (docs/compatibility.md#messages), because clients match on them.
 */
export const errors = {
  not_logged_in: {
    status: 401,
    zh: '无权进行此操作，未登录且未提供 access token',
    en: 'No permission for this operation: not logged in and no access token provided',
  },
  invalid_access_token: {
    status: 200,
    zh: '无权进行此操作，access token 无效',
    en: 'No permission for this operation: invalid access token',
  },
  user_header_missing: {
    status: 401,
    zh: '无权进行此操作，未提供 New-Api-User',
    en: 'No permission for this operation: the New-Api-User header is missing',
  },
  user_header_malformed: {
    status: 401,
    zh: '无权进行此操作，New-Api-User 格式错误',
    en: 'No permission for this operation: the New-Api-User header is malformed',
  },
  user_header_mismatch: {
    status: 401,
    zh: '无权进行此操作，New-Api-User 与登录用户不匹配',
    en: 'No permission for this operation: the New-Api-User header does not match the logged-in user',
  },
  user_banned: { status: 200, zh: '用户已被封禁', en: 'User has been banned' },
  insufficient_role: {
    status: 200,
    zh: '无权进行此操作，权限不足',
    en: 'No permission for this operation: insufficient permissions',
  },
  cross_site: {
    status: 403,
    zh: '无权进行此操作，请求来自其他网站',
    en: 'No permission for this operation: the request comes from another site',
  },
  method_not_allowed: { status: 405, zh: '不支持的请求方法', en: 'This method is not supported here' },
  invalid_parameter: { status: 200, zh: '无效的参数', en: 'Invalid parameter' },
  invalid_input: { status: 200, zh: '输入不合法 {detail}', en: 'Invalid input: {detail}' },
  unknown_members: {
    status: 200,
    zh: '{members} 在当前版本没有作用，请删除后再提交',
    en: 'Unknown here, and without effect: {members}. Remove this, then send again',
  },
  body_too_large: { status: 413, zh: '请求内容过大', en: 'The request is too large' },
  malformed_body: { status: 400, zh: '请求内容不是合法的 JSON', en: 'The request body is not valid JSON' },
  too_many_requests: {
    status: 429,
    zh: '请求次数过多，请稍后再试！',
    en: 'Too many requests, please try again later!',
  },
  internal: {
    status: 500,
    zh: '服务器内部错误，请联系管理员！',
    en: 'Internal server error, please contact the administrator!',
  },
  database_unavailable: { status: 503, zh: '数据库连接失败', en: 'The database cannot be reached' },
  log_archive_unavailable: {
    status: 503,
    zh: '存放较早日志的数据库无法连接；计费与调用不受影响',
    en: 'The database of older log rows cannot be reached; calls and balances are unaffected',
  },
  restarting: {
    status: 503,
    zh: '服务正在重启，请稍后再试',
    en: 'The server is restarting, please try again shortly',
  },
  statement_month_unknown: {
    status: 200,
    zh: '没有这个月的账单',
    en: 'There is no statement of this month',
  },
  statement_no_address: {
    status: 200,
    zh: '请先绑定邮箱，或在通知设置中填写邮箱',
    en: 'Bind an e-mail address first, or enter one for notices',
  },
  row_not_found: { status: 200, zh: '记录不存在', en: 'No such record' },
  channel_not_found: {
    status: 200,
    zh: '渠道不存在，请刷新后重试',
    en: 'Channel not found, refresh and retry',
  },
  alarm_address_malformed: {
    status: 200,
    zh: '地址必须以 http:// 或 https:// 开头',
    en: 'The address must begin with http:// or https://',
  },
  alarm_place_incomplete: {
    status: 200,
    zh: '请填写该服务需要的地址、密钥或会话 ID',
    en: 'Enter the address, secret or chat that this service needs',
  },
  alarm_places_full: { status: 200, zh: '消息服务最多 {max} 个', en: 'At most {max} services are possible' },
  channel_incomplete: {
    status: 200,
    zh: '请填写渠道名称和渠道密钥！',
    en: 'Please fill in the channel name and key',
  },
  channel_models_missing: { status: 200, zh: '请至少选择一个模型！', en: 'Select at least one model' },
  model_name_too_long: { status: 200, zh: '模型名称过长: {name}', en: 'Model name too long: {name}' },
  group_name_too_long: { status: 200, zh: '分组名称过长: {name}', en: 'Group name too long: {name}' },
  group_unknown: { status: 200, zh: '分组 {group} 不存在', en: 'There is no group {group}' },
  channel_base_url_invalid: {
    status: 200,
    zh: 'API 地址必须是完整的 http:// 或 https:// 地址，不能含用户名和密码，主机名中不能使用 {model}',
    en: 'The API address must be a full http:// or https:// address, without a user name, password or {model} in its host',
  },
  channel_proxy_password_required: {
    status: 200,
    zh: '代理地址已更改，请重新填写代理密码',
    en: 'The proxy has changed, please enter its password again',
  },
  channel_header_secret_required: {
    status: 200,
    zh: '密钥将发往新的地址，请重新填写请求头中的密钥',
    en: 'The channel has a new destination, please enter the secrets in its headers again',
  },
  channel_proxy_invalid: {
    status: 200,
    zh: '代理地址必须以 http://、https://、socks5:// 或 socks5h:// 开头',
    en: 'The proxy must start with http://, https://, socks5:// or socks5h://',
  },
  channel_json_invalid: {
    status: 200,
    zh: '{field} 不是合法的 JSON 字符串',
    en: '{field}: not a valid JSON string',
  },
  channel_json_not_object: {
    status: 200,
    zh: '{field} 必须是 JSON 对象，例如 {"a": "b"}',
    en: '{field} must be a JSON object such as {"a": "b"}',
  },
  channel_member_idle: {
    status: 200,
    zh: '{field} 中的 {member} 在当前版本没有作用，请删除后再保存',
    en: '{member} in {field} has no effect in this version: remove it, then save again',
  },
  channel_mode_unavailable: {
    status: 200,
    zh: 'mode 只能是 single、batch 或 multi_to_single',
    en: 'mode is single, batch or multi_to_single',
  },
  channel_single_key: {
    status: 200,
    zh: 'single 模式只能有一个密钥，多个密钥请使用 batch 或 multi_to_single',
    en: 'The mode single takes one key: use batch or multi_to_single for several',
  },
  channel_keys_unavailable: {
    status: 200,
    zh: '该类型的渠道只能有一个密钥',
    en: 'A channel of this type can have one key only',
  },
  channel_one_key: { status: 200, zh: '该渠道只有一个密钥', en: 'This channel has one key only' },
  channel_key_unknown: {
    status: 200,
    zh: '渠道中没有这个密钥，请刷新后重试',
    en: 'The channel has no such key, refresh and retry',
  },
  channel_last_key: { status: 200, zh: '不能删除最后一个密钥', en: 'The last key cannot be deleted' },
  channel_member_type: {
    status: 200,
    zh: '{field} 中的 {member} 必须是{kind}',
    en: '{member} in {field} must be {kind}',
  },
  channel_text_unsendable: {
    status: 200,
    zh: '{field} 只能包含可见的 ASCII 字符',
    en: '{field} may hold visible ASCII characters only',
  },
  channel_mapping_cycle: {
    status: 200,
    zh: '模型重定向中存在循环',
    en: 'The model mapping runs in a circle',
  },
  channel_region_missing: { status: 200, zh: '部署地区不能为空', en: 'The region must not be empty' },
  channel_region_default_missing: {
    status: 200,
    zh: '部署地区必须包含default字段',
    en: 'The regions must contain the field default',
  },
  channel_region_invalid: {
    status: 200,
    zh: '部署地区只能包含小写字母、数字和连字符',
    en: 'A region has lower-case letters, digits and dashes only',
  },
  channel_bucket_invalid: {
    status: 200,
    zh: 'storageUri 必须是 gs://存储桶/目录',
    en: 'storageUri must be gs://bucket/folder',
  },
  channel_type_unknown: { status: 200, zh: '未知的渠道类型', en: 'Unknown channel type' },
  channel_type_closed: {
    status: 200,
    zh: '此类型的供应商已关闭，不能用于新渠道',
    en: 'The vendor of this type closed: no new channel can be of it',
  },
  channel_key_required: {
    status: 200,
    zh: '更换渠道的地址、地区或类型后，密钥会发送到其他主机，请重新填写密钥',
    en: 'Enter the key again: with this address, region or type it would go to another host',
  },
  channel_key_unreadable: {
    status: 200,
    zh: '渠道密钥无法解密，请重新填写密钥',
    en: 'The key of this channel cannot be decrypted: enter it again',
  },
  channel_tag_empty: { status: 200, zh: 'tag不能为空', en: 'The tag must not be empty' },
  channel_test_running: { status: 200, zh: '测试已在运行中', en: 'A test is already running' },
  not_implemented: { status: 200, zh: '尚未实现', en: 'Not implemented yet' },
  upstream_answer_unreadable: {
    status: 200,
    zh: '解析响应失败: {detail}',
    en: 'The answer could not be read: {detail}',
  },
  upstream_request_failed: {
    status: 200,
    zh: '上游请求失败: {detail}',
    en: 'The upstream request failed: {detail}',
  },
  data_span_too_long: {
    status: 200,
    zh: '时间跨度不能超过 1 个月',
    en: 'The span of time must not exceed one month',
  },
  target_timestamp_required: {
    status: 200,
    zh: 'target timestamp is required',
    en: 'target timestamp is required',
  },
  budget_limit_reached: { status: 200, zh: '预算最多 {max} 个', en: 'At most {max} budgets' },
  redemption_name_length: {
    status: 200,
    zh: '兑换码名称长度必须在1-20之间',
    en: 'The name of a redemption code must have 1 to 20 characters',
  },
  redemption_count_positive: {
    status: 200,
    zh: '兑换码个数必须大于0',
    en: 'The number of redemption codes must be greater than 0',
  },
  redemption_count_limit: {
    status: 200,
    zh: '一次兑换码批量生成的个数不能大于 100',
    en: 'At most 100 redemption codes can be made at once',
  },
  redemption_not_found: { status: 200, zh: '兑换码不存在', en: 'No such redemption code' },
  redemption_disabled: {
    status: 200,
    zh: '该兑换码已被禁用，请先启用',
    en: 'This redemption code is disabled: enable it first',
  },
  redemption_used: {
    status: 200,
    zh: '该兑换码已被使用',
    en: 'This redemption code has been used',
  },
  invalid_argument: { status: 200, zh: '参数错误', en: 'Invalid argument' },
  payment_not_configured: {
    status: 200,
    zh: '当前管理员未配置支付信息',
    en: 'The administrator has not set up payments',
  },
  topup_below_minimum: {
    status: 200,
    zh: '充值数量不能小于 {minimum}',
    en: 'The least amount to top up is {minimum}',
  },
  topup_too_cheap: { status: 200, zh: '充值金额过低', en: 'The amount to pay is too small' },
  payment_start_failed: { status: 200, zh: '拉起支付失败', en: 'The payment could not be started' },
  order_creation_failed: { status: 200, zh: '创建订单失败', en: 'The order could not be created' },
  auto_topup_no_card: { status: 200, zh: '请先保存一张银行卡', en: 'Save a card first' },
  auto_topup_limit: {
    status: 200,
    zh: '每月上限不能低于一次充值的金额',
    en: 'The limit of a month must cover one top-up',
  },
  plan_not_found: { status: 200, zh: '套餐不存在', en: 'There is no such plan' },
  plan_held: { status: 200, zh: '已订阅该套餐', en: 'There is a subscription to this plan already' },
  plan_not_payable: {
    status: 200,
    zh: '余额不足，或该套餐不能这样支付；套餐的额度不能用来支付套餐',
    en: 'The balance without credit of plans is too small, or the plan cannot be paid this way',
  },
  plan_has_subscribers: {
    status: 200,
    zh: '套餐还有订阅者：请先隐藏它，待订阅结束后再删除',
    en: 'The plan has subscribers: hide it, and delete it once they have ended',
  },
  plan_limit: { status: 200, zh: '套餐数量已达上限', en: 'There are too many plans' },
  subscription_not_found: {
    status: 200,
    zh: '没有这个进行中的订阅',
    en: 'There is no such subscription that goes on',
  },
  order_not_found: { status: 200, zh: '充值订单不存在', en: 'There is no such order' },
  order_not_refundable: {
    status: 200,
    zh: '只能退还已到账且有来源记录的充值',
    en: 'Only a credited top-up whose credit is tracked can be refunded',
  },
  order_used_up: { status: 200, zh: '这笔充值已没有剩余额度', en: 'Nothing is left of this top-up' },
  order_held: {
    status: 200,
    zh: '剩余额度正被进行中的调用占用，请稍后再试',
    en: 'Running calls hold what is left of this top-up; try again later',
  },
  refund_not_paid: {
    status: 200,
    zh: '额度已收回，但款项未能退还：{reason}。请重试',
    en: 'The credit was taken back, but the payment was not refunded: {reason}. Try again',
  },
  order_not_payable: { status: 200, zh: '充值订单状态错误', en: 'This order cannot be completed' },
  redeem_code_missing: { status: 200, zh: '未提供兑换码', en: 'No redemption code was given' },
  redeem_code_invalid: {
    status: 200,
    zh: '兑换失败，无效的兑换码',
    en: 'Redeeming failed: invalid redemption code',
  },
  redeem_code_used: {
    status: 200,
    zh: '兑换失败，该兑换码已被使用',
    en: 'Redeeming failed: this redemption code has been used',
  },
  redeem_code_expired: {
    status: 200,
    zh: '兑换失败，该兑换码已过期',
    en: 'Redeeming failed: this redemption code has expired',
  },
  credit_expiry_past: {
    status: 200,
    zh: '额度的到期时间不能早于当前时间',
    en: 'The end of the credit must be in the future',
  },
  redemption_expiry_past: {
    status: 200,
    zh: '过期时间不能早于当前时间',
    en: 'The expiry must be in the future',
  },
  redeem_too_many_guesses: {
    status: 429,
    zh: '兑换失败次数过多，请在 {retryAfter} 秒后再试',
    en: 'Too many wrong redemption codes, please try again in {retryAfter} seconds',
  },
  smtp_not_configured: { status: 200, zh: 'SMTP 服务器未配置', en: 'No SMTP server is set up' },
  mail_failed: { status: 200, zh: '邮件发送失败，请联系管理员', en: 'The mail could not be sent' },
  ...accountErrors,
  ...signInErrors,
  ...modeErrors,
  ...costErrors,
  ...reconciliationErrors,
  ...priceErrors,
  ...priceChangeErrors,
  ...secondFactorErrors,
  ...settingErrors,
  ...teamErrors,
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof errors;

/**
 * A refusal: `code` for programs, `cause` for our log (never shown), and a text for people in their language. Any
 * code throws it; one place renders it.
 */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly values: ErrorValues;

  constructor(code: ErrorCode, values: ErrorValues = {}, cause?: unknown) {
    super(fillWords(errors[code].zh, values), cause === undefined ? undefined : { cause });
    this.name = 'AppError';
    this.code = code;
    this.values = values;
  }

  /** HTTP status of the answer. */
  get status(): number {
    return errors[this.code].status;
  }

  /** Public text in `language`. */
  say(language: Language): string {
    return fillWords(errors[this.code][language], this.values, language);
  }
}
