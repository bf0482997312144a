import { settingErrors } from './errors-settings.ts';
import type { ErrorEntry, Words } from './words.ts';

export type { Words } from './words.ts';

/**
 * Every error a console call may answer: code → status and words. `{name}` is replaced from the error's values.
 * The Chinese texts are the original's (wire-facts 12), because clients match on them.
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
  not_found: { status: 404, zh: '接口不存在', en: 'No such call' },
  method_not_allowed: { status: 405, zh: '不支持的请求方法', en: 'This method is not supported here' },
  invalid_parameter: { status: 200, zh: '无效的参数', en: 'Invalid parameter' },
  invalid_input: { status: 200, zh: '输入不合法 {detail}', en: 'Invalid input: {detail}' },
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
  row_not_found: { status: 200, zh: '记录不存在', en: 'No such record' },
  channel_not_found: {
    status: 200,
    zh: '渠道不存在，请刷新后重试',
    en: 'Channel not found, refresh and retry',
  },
  channel_incomplete: {
    status: 200,
    zh: '请填写渠道名称和渠道密钥！',
    en: 'Please fill in the channel name and key',
  },
  channel_models_missing: { status: 200, zh: '请至少选择一个模型！', en: 'Select at least one model' },
  model_name_too_long: { status: 200, zh: '模型名称过长: {name}', en: 'Model name too long: {name}' },
  group_name_too_long: { status: 200, zh: '分组名称过长: {name}', en: 'Group name too long: {name}' },
  channel_base_url_invalid: {
    status: 200,
    zh: 'API 地址必须是完整的 http:// 或 https:// 地址',
    en: 'The API address must be a full http:// or https:// address',
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
  channel_type_unknown: { status: 200, zh: '未知的渠道类型', en: 'Unknown channel type' },
  channel_key_required: {
    status: 200,
    zh: '更换渠道地址后，请重新填写密钥',
    en: 'Enter the key again when the address of a channel changes',
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
  redemption_used: {
    status: 200,
    zh: '该兑换码已被使用',
    en: 'This redemption code has been used',
  },
  // Accounts, sign-in, tokens, setup (wire-facts 2.2, 6.6, 11.5, 12).
  invalid_user_info: {
    status: 200,
    zh: '无权进行此操作，用户信息无效',
    en: 'No permission for this operation: invalid user information',
  },
  credentials_missing: { status: 200, zh: '用户名或密码为空', en: 'Username or password is empty' },
  wrong_credentials: {
    status: 200,
    zh: '用户名或密码错误，或用户已被封禁',
    en: 'Username or password is wrong, or the user has been banned',
  },
  too_many_attempts: {
    status: 429,
    zh: '尝试次数过多，请在 {retryAfter} 秒后再试',
    en: 'Too many attempts, please try again in {retryAfter} seconds',
  },
  server_busy: {
    status: 503,
    zh: '服务器繁忙，请稍后再试',
    en: 'The server is busy, please try again later',
  },
  insecure_transport: {
    status: 403,
    zh: '登录需要 HTTPS 连接',
    en: 'Signing in needs an HTTPS connection',
  },
  password_login_disabled: {
    status: 200,
    zh: '管理员关闭了密码登录',
    en: 'The administrator has disabled password login',
  },
  registration_disabled: {
    status: 200,
    zh: '管理员关闭了新用户注册',
    en: 'The administrator has disabled new user registration',
  },
  password_registration_disabled: {
    status: 200,
    zh: '管理员关闭了通过密码进行注册，请使用第三方账户验证的形式进行注册',
    en: 'The administrator has disabled registration by password, please register with a third-party account',
  },
  email_code_missing: {
    status: 200,
    zh: '管理员开启了邮箱验证，请输入邮箱地址和验证码',
    en: 'E-mail verification is on, please enter your address and the code',
  },
  email_code_wrong: {
    status: 200,
    zh: '验证码错误或已过期',
    en: 'The verification code is wrong or expired',
  },
  username_taken: {
    status: 200,
    zh: '用户名已存在，或已注销',
    en: 'The username exists already or was deleted',
  },
  user_not_found: { status: 200, zh: '用户不存在', en: 'User does not exist' },
  wrong_original_password: { status: 200, zh: '原密码错误', en: 'The original password is wrong' },
  cannot_read_peer: {
    status: 200,
    zh: '无权获取同级或更高等级用户的信息',
    en: 'No permission to read users of the same or a higher level',
  },
  cannot_edit_peer: {
    status: 200,
    zh: '无权更新同权限等级或更高权限等级的用户信息',
    en: 'No permission to edit users of the same or a higher level',
  },
  cannot_delete_peer: {
    status: 200,
    zh: '无权删除同权限等级或更高权限等级的用户',
    en: 'No permission to delete users of the same or a higher level',
  },
  cannot_disable_root: { status: 200, zh: '无法禁用超级管理员用户', en: 'A super admin cannot be disabled' },
  cannot_delete_root: { status: 200, zh: '无法删除超级管理员用户', en: 'A super admin cannot be deleted' },
  cannot_demote_root: { status: 200, zh: '无法降级超级管理员用户', en: 'A super admin cannot be demoted' },
  cannot_delete_own_root: {
    status: 200,
    zh: '不能删除超级管理员账户',
    en: 'The super admin account cannot be deleted',
  },
  cannot_promote: {
    status: 200,
    zh: '普通管理员用户无法提升其他用户为管理员',
    en: 'An admin cannot promote other users to admin',
  },
  cannot_create_peer: {
    status: 200,
    zh: '无法创建权限大于等于自己的用户',
    en: 'Cannot create a user whose level is your own or higher',
  },
  cannot_raise_peer: {
    status: 200,
    zh: '无权将其他用户权限等级提升到大于等于自己的权限等级',
    en: 'Cannot raise another user to your own level or higher',
  },
  already_admin: { status: 200, zh: '该用户已经是管理员', en: 'This user is an admin already' },
  already_common: { status: 200, zh: '该用户已经是普通用户', en: 'This user is an ordinary user already' },
  quota_would_be_negative: {
    status: 200,
    zh: '用户额度不足，最多可减少 {available}',
    en: 'The balance does not cover this: at most {available} can be taken',
  },
  transfer_too_small: {
    status: 200,
    zh: '划转失败 转移额度最小为{minimum}！',
    en: 'Transfer failed: the least amount is {minimum}',
  },
  reward_insufficient: {
    status: 200,
    zh: '划转失败 邀请额度不足！',
    en: 'Transfer failed: the invitation reward does not cover it',
  },
  token_name_too_long: { status: 200, zh: '令牌名称过长', en: 'The token name is too long' },
  token_expired: {
    status: 200,
    zh: '令牌已过期，无法启用，请先修改令牌过期时间，或者设置为永不过期',
    en: 'The token has expired and cannot be enabled: change its expiry first, or let it never expire',
  },
  token_exhausted: {
    status: 200,
    zh: '令牌可用额度已用尽，无法启用，请先修改令牌剩余额度，或者设置为无限额度',
    en: 'The quota of the token is used up, so it cannot be enabled: give it quota first, or make it unlimited',
  },
  token_address_malformed: {
    status: 200,
    zh: 'IP 地址格式错误：{address}',
    en: 'Not an IP address or CIDR range: {address}',
  },
  token_group_forbidden: { status: 200, zh: '无权访问该分组', en: 'No permission for this group' },
  token_limit_reached: {
    status: 200,
    zh: '令牌数量已达上限 {limit}',
    en: 'The limit of {limit} tokens is reached',
  },
  setup_done: { status: 400, zh: '系统已经初始化完成', en: 'The system has been set up already' },
  setup_input: { status: 400, zh: '请求参数有误', en: 'The request is not valid' },
  setup_passwords_differ: {
    status: 400,
    zh: '两次输入的密码不一致',
    en: 'The two passwords do not match',
  },
  setup_password_short: {
    status: 400,
    zh: '密码长度至少为8个字符',
    en: 'The password needs at least 8 characters',
  },
  setup_token_wrong: {
    status: 403,
    zh: '请输入服务器日志中的一次性初始化令牌',
    en: 'Please enter the one-time setup token from the server log',
  },
  ...settingErrors,
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof errors;

/** Fills `{name}` slots of a text. */
export function fillWords(text: string, values: Record<string, string | number> = {}): string {
  return text.replace(/\{(\w+)\}/g, (slot, name: string) => (name in values ? String(values[name]) : slot));
}

/**
 * A refusal with three faces: `code` for programs, `cause` for our log (never shown), words for people
 * in the language they read. Thrown anywhere, rendered in one place.
 */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly values: Record<string, string | number>;

  constructor(code: ErrorCode, values: Record<string, string | number> = {}, cause?: unknown) {
    super(fillWords(errors[code].zh, values), cause === undefined ? undefined : { cause });
    this.name = 'AppError';
    this.code = code;
    this.values = values;
  }

  /** HTTP status of the answer. */
  get status(): number {
    return errors[this.code].status;
  }

  /** The public words in `language`. */
  say(language: keyof Words): string {
    return fillWords(errors[this.code][language], this.values);
  }
}
