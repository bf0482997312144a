import type { ErrorEntry } from './words.ts';

/** Refusals of accounts, sign-in, tokens and setup (docs/compatibility.md#user-administration). */
export const accountErrors = {
  invalid_user_info: {
    status: 200,
    zh: '无权进行此操作，用户信息无效',
    en: 'No permission for this operation: invalid user information',
  },
  password_too_short: {
    status: 200,
    zh: '密码长度不得小于 8 位！',
    en: 'The password must have at least 8 characters!',
  },
  passwords_differ: { status: 200, zh: '两次输入的密码不一致', en: 'The two passwords do not match' },
  password_unchanged: {
    status: 200,
    zh: '新密码需要和原密码不一致！',
    en: 'The new password must differ from the current one!',
  },
  credentials_empty: {
    status: 200,
    zh: '用户名和密码不能为空！',
    en: 'Username and password must not be empty!',
  },
  credentials_missing: { status: 200, zh: '用户名或密码为空', en: 'Username or password is empty' },
  wrong_credentials: {
    status: 200,
    zh: '用户名或密码错误，或用户已被封禁',
    en: 'Username or password is incorrect, or user has been banned',
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
  access_token_not_supported: {
    status: 400,
    zh: '暂不支持使用 access token',
    en: 'An access token cannot be used here',
  },
  access_token_scope: {
    status: 403,
    zh: '此 access token 的权限范围不包含此操作',
    en: 'The scope of this access token does not include this call',
  },
  access_token_limit: {
    status: 200,
    zh: '系统访问令牌最多 {max} 个，请先吊销不用的',
    en: 'There can be at most {max} access tokens; revoke one that is not used',
  },
  insecure_transport: {
    status: 403,
    zh: '密码不能通过未加密的公网连接发送：请使用 HTTPS，或通过 SSH 隧道以 localhost 访问',
    en: 'Passwords are not sent over an unencrypted public connection: use HTTPS, or an SSH tunnel to localhost',
  },
  password_login_disabled: {
    status: 200,
    zh: '管理员关闭了密码登录',
    en: 'Administrator has disabled password login',
  },
  registration_disabled: {
    status: 200,
    zh: '管理员关闭了新用户注册',
    en: 'Administrator has disabled new user registration',
  },
  password_registration_disabled: {
    status: 200,
    zh: '管理员关闭了通过密码进行注册，请使用第三方账户验证的形式进行注册',
    en: 'Administrator has disabled password registration, please register with a third-party account',
  },
  email_code_missing: {
    status: 200,
    zh: '管理员开启了邮箱验证，请输入邮箱地址和验证码',
    en: 'E-mail verification is on, please enter your address and the code',
  },
  email_code_wrong: {
    status: 200,
    zh: '验证码错误或已过期',
    en: 'Verification code is incorrect or expired',
  },
  email_domain_refused: {
    status: 200,
    zh: '管理员启用了邮箱域名白名单，您的邮箱域名不在允许之列',
    en: 'The administrator allows certain e-mail domains only, and yours is not among them',
  },
  email_alias_refused: {
    status: 200,
    zh: '管理员已启用邮箱地址别名限制，您的邮箱地址由于包含特殊符号而被拒绝。',
    en: 'The administrator refuses aliases of e-mail addresses, and yours contains special characters',
  },
  reset_link_invalid: { status: 200, zh: '重置链接非法或已过期', en: 'Reset link is invalid or expired' },
  mail_too_soon: {
    status: 429,
    zh: '发送过于频繁，请在 {retryAfter} 秒后再试',
    en: 'A mail went to this address a moment ago, please try again in {retryAfter} seconds',
  },
  server_address_missing: {
    status: 200,
    zh: '管理员尚未填写服务器地址，无法发送重置链接',
    en: 'The administrator has not entered the address of this site, so no reset link can be sent',
  },
  oauth_state_wrong: { status: 403, zh: 'state is empty or not same', en: 'state is empty or not same' },
  oauth_disabled: {
    status: 200,
    zh: '管理员未开启通过 {provider} 登录以及注册',
    en: 'The administrator has not enabled sign-in with {provider}',
  },
  oauth_unreachable: {
    status: 200,
    zh: '无法连接至 {provider} 服务器，请稍后重试！',
    en: '{provider} cannot be reached, please try again later!',
  },
  oauth_refused: {
    status: 200,
    zh: '{provider} 拒绝了授权，请重试',
    en: '{provider} did not authorize this, please try again',
  },
  oauth_nobody: {
    status: 200,
    zh: '返回值非法，用户字段为空，请稍后重试！',
    en: '{provider} answered without saying who you are, please try again later!',
  },
  oauth_bound: {
    status: 200,
    zh: '该 {provider} 账户已被绑定',
    en: 'This {provider} account is bound already',
  },
  wechat_disabled: {
    status: 200,
    zh: '管理员未开启通过微信登录以及注册',
    en: 'The administrator has not enabled sign-in with WeChat',
  },
  wechat_bound: { status: 200, zh: '该微信账号已被绑定', en: 'This WeChat account is bound already' },
  oauth_not_bound: {
    status: 200,
    zh: '该 {provider} 账户未绑定',
    en: 'This {provider} account is not bound',
  },
  sign_in_no_rule: {
    status: 200,
    zh: '您的 {provider} 账户不属于允许登录的分组，请联系管理员',
    en: 'Your {provider} account is in no group that may sign in here; ask your administrator',
  },
  oauth_last_way: {
    status: 200,
    zh: '这是您唯一的登录方式，无法解绑，请先设置密码或绑定其他账户',
    en: 'This is your only way in and cannot be unbound: set a password or bind another account first',
  },
  user_deleted: { status: 200, zh: '用户已注销', en: 'User has been deleted' },
  sign_in_again: {
    status: 403,
    zh: '登录时间过长，请退出并重新登录后再试',
    en: 'You signed in too long ago: log out, log in again and retry',
  },
  username_taken: {
    status: 200,
    zh: '用户名已存在，或已注销',
    en: 'The username exists already or was deleted',
  },
  username_unclear: {
    status: 200,
    zh: '用户名不能含 @、全角或不可见字符，也不能混用形近字母',
    en: 'A username must not have @, full-width or invisible characters, or look-alike letters',
  },
  user_not_found: { status: 200, zh: '用户不存在', en: 'User does not exist' },
  wrong_original_password: { status: 200, zh: '原密码错误', en: 'Original password is incorrect' },
  password_required: {
    status: 403,
    zh: '请再次输入当前密码',
    en: 'Please enter your current password again',
  },
  password_common: {
    status: 200,
    zh: '这个密码过于常见，容易被猜到，请换一个',
    en: 'This password is very common and easily guessed, please choose another',
  },
  wrong_password: { status: 403, zh: '密码错误', en: 'The password is wrong' },
  cannot_read_peer: {
    status: 200,
    zh: '无权获取同级或更高等级用户的信息',
    en: 'No permission to access users at same or higher level',
  },
  cannot_edit_peer: {
    status: 200,
    zh: '无权更新同权限等级或更高权限等级的用户信息',
    en: 'No permission to update users at same or higher level',
  },
  cannot_delete_peer: {
    status: 200,
    zh: '无权删除同权限等级或更高权限等级的用户',
    en: 'No permission to delete users at same or higher level',
  },
  cannot_disable_root: {
    status: 200,
    zh: '无法禁用超级管理员用户',
    en: 'Cannot disable super administrator user',
  },
  cannot_delete_root: {
    status: 200,
    zh: '无法删除超级管理员用户',
    en: 'Cannot delete super administrator user',
  },
  cannot_demote_root: {
    status: 200,
    zh: '无法降级超级管理员用户',
    en: 'Cannot downgrade super administrator user',
  },
  cannot_delete_own_root: {
    status: 200,
    zh: '不能删除超级管理员账户',
    en: 'The super admin account cannot be deleted',
  },
  cannot_promote: {
    status: 200,
    zh: '普通管理员用户无法提升其他用户为管理员',
    en: 'Regular administrator cannot promote other users to administrator',
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
  token_name_too_long: { status: 200, zh: '令牌名称过长', en: 'The name of the key is too long' },
  token_expired: {
    status: 200,
    zh: '令牌已过期，无法启用，请先修改令牌过期时间，或者设置为永不过期',
    en: 'The key has expired and cannot be enabled: change its expiry first, or let it never expire',
  },
  token_exhausted: {
    status: 200,
    zh: '令牌可用额度已用尽，无法启用，请先修改令牌剩余额度，或者设置为无限额度',
    en: 'The quota of the key is used up, so it cannot be enabled: give it quota, or make it unlimited',
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
    en: 'The limit of {limit} keys is reached',
  },
  setup_done: { status: 400, zh: '系统已经初始化完成', en: 'The system has been set up already' },
  setup_input: { status: 400, zh: '请求参数有误', en: 'The request is not valid' },
  setup_passwords_differ: { status: 400, zh: '两次输入的密码不一致', en: 'The two passwords do not match' },
  setup_password_short: {
    status: 400,
    zh: '密码长度至少为8个字符',
    en: 'The password needs at least 8 characters',
  },
  setup_token_wrong: {
    status: 403,
    zh: '初始化口令不正确。请打开服务器启动时打印的链接，或输入其中的口令',
    en: 'The set-up token is not right. Open the link that the server printed at its start, or enter its token',
  },
  notify_type_unknown: { status: 200, zh: '无效的预警类型', en: 'Unknown kind of warning' },
  notify_threshold_invalid: {
    status: 200,
    zh: '预警阈值必须大于0',
    en: 'The warning threshold must be greater than 0',
  },
  webhook_missing: { status: 200, zh: 'Webhook地址不能为空', en: 'The webhook address must not be empty' },
  webhook_malformed: { status: 200, zh: '无效的Webhook地址', en: 'Not a valid https webhook address' },
  webhook_secret_required: {
    status: 200,
    zh: 'Webhook地址已更改，请重新填写密钥',
    en: 'The webhook address has changed, please enter its secret again',
  },
  email_malformed: { status: 200, zh: '无效的邮箱地址', en: 'Not a valid e-mail address' },
  email_taken: { status: 200, zh: '邮箱地址已被占用', en: 'Email address is already in use' },
  human_check_missing: {
    status: 200,
    zh: 'Turnstile token 为空',
    en: 'The answer of the human check is missing',
  },
  human_check_failed: {
    status: 200,
    zh: 'Turnstile 校验失败，请刷新重试！',
    en: 'The human check failed, please reload and try again',
  },
} as const satisfies Record<string, ErrorEntry>;
