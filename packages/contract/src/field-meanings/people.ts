import type { Words } from '../words.ts';
import { product } from '../product.ts';

const kept = { zh: '不填或为空则不变', en: 'Absent or empty: it stays' };
const code = {
  zh: '身份验证器的 6 位验证码，或恢复代码；空格和连字符不计',
  en: 'Six digits of the authenticator app, or a recovery code; spaces and dashes do not count',
};
const secondStep = {
  zh: '接在密码之后作为第二步时为 true',
  en: 'True where it is the second step after a password',
};
const subject = { zh: '该网站上的账户；空为未绑定', en: 'The account there; empty while none is bound' };
const recovery = {
  zh: '恢复代码，只显示这一次；没有新的则为空',
  en: 'Recovery codes, shown this once; empty where there are no new ones',
};
const turnstile = {
  zh: '人机验证给出的答案；未开启时可不填',
  en: 'What the human check gave; not needed while that is off',
};
const invitation = { zh: '邀请人的邀请码', en: 'The invitation code of who invited' };
const state = { zh: '登录开始时给出的 state，只能用一次', en: 'The state that the start gave; good once' };
const device = { zh: '浏览器自报的名称', en: 'What the browser calls itself' };
const period = {
  zh: '空为无上限，total 为总计，month 为每个自然月（UTC）',
  en: 'Empty without a limit, `total` for all there is, `month` for each calendar month (UTC)',
};
const tokenScope = {
  zh: 'read 只读；manage 为除需要第二因素以外的全部操作；all 为全部操作',
  en: '`read` only reads, `manage` makes all calls but those that ask for a second factor, `all` makes these as well',
};
const language = { zh: 'zh 或 en；空为未选择', en: '`zh` or `en`; empty while none is chosen' };
const slug = {
  zh: '标识：在 /oauth/{slug} 和绑定中使用，不可修改',
  en: 'Its short name in /oauth/{slug} and in bindings; never changes',
};
const discovery = {
  zh: '签发者地址，或其发现文档的地址',
  en: 'The issuer, or the address of its discovery document',
};
const logo = {
  zh: 'https 地址或 data:image；空为通用图标',
  en: 'An https address or a data:image; empty for a neutral mark',
};
const scopes = { zh: '以空格分隔，必须包含 openid', en: 'Separated by blanks; `openid` is among them' };
const writtenOnly = { zh: '只写，不会返回', en: 'Written and never answered' };
const auditKind = { zh: '操作的种类，如 user.update', en: 'What was done, like `user.update`' };
const invitationCode = { zh: '邀请链接中的代码', en: 'The code in the link of the invitation' };

/**
 * What the fields of the calls around accounts mean whose name does not tell, whatever their type: `Schema.name`, or
 * `part.name` where the schema has no name.
 */
export const peopleMeanings: Readonly<Record<string, Words>> = {
  'UserData.aff_code': { zh: '本人的邀请码', en: 'One’s own invitation code' },
  'UserData.bindings': { zh: '已绑定的第三方登录方式', en: 'The providers bound, by their ids' },
  'UserData.has_password': {
    zh: '通过第三方注册且尚未设置密码时为 false',
    en: 'False for somebody who came through another site and set none yet',
  },
  'UserData.two_factor': {
    zh: '有身份验证器或通行密钥时为 true',
    en: 'True with an authenticator app or a passkey',
  },
  'UserData.github_id': subject,
  'UserData.oidc_id': subject,
  'UserData.wechat_id': subject,
  'UserData.telegram_id': subject,
  'UserData.linux_do_id': subject,
  'ManagedUserData.aff_code': { zh: '该用户的邀请码', en: 'Their invitation code' },
  'ManagedUserData.bindings': { zh: '已绑定的第三方登录方式', en: 'The providers bound, by their ids' },
  'ManagedUserData.has_password': {
    zh: '通过第三方注册且尚未设置密码时为 false',
    en: 'False for somebody who came through another site and set none yet',
  },
  'ManagedUserData.two_factor': {
    zh: '有身份验证器或通行密钥时为 true',
    en: 'True with an authenticator app or a passkey',
  },
  'ManagedUserData.github_id': subject,
  'ManagedUserData.oidc_id': subject,
  'ManagedUserData.wechat_id': subject,
  'ManagedUserData.telegram_id': subject,
  'ManagedUserData.linux_do_id': subject,
  'ManagedUserData.remark': { zh: '备注，只有管理员可见', en: 'A remark that administrators alone see' },
  'account.original_password': {
    zh: '当前密码；修改用户名或密码时必填',
    en: 'The current password; needed for another username or password',
  },
  'account.password': kept,
  'account.username': kept,
  'account.scope': tokenScope,
  'account.token': { zh: '令牌本身，只显示这一次', en: 'The token itself, shown this once' },
  'account.days': { zh: '有效天数；0 为永不过期', en: 'Days until it expires; 0 for one that does not' },
  'AccessTokenData.scope': tokenScope,
  'AccessTokenData.expires_time': {
    zh: 'Unix 秒；0 为永不过期',
    en: 'Unix seconds; 0 for one that does not expire',
  },
  'account.display_name': kept,
  'account.language': language,
  'account.notify_type': { zh: 'email 或 webhook', en: '`email` or `webhook`' },
  'account.notification_email': {
    zh: '通知邮箱；空则使用绑定的邮箱',
    en: 'Where notices go; empty for the address of the account',
  },
  'account.webhook_url': { zh: '必须以 https:// 开头', en: 'Must begin with https://' },
  'account.webhook_secret': writtenOnly,
  'account.accept_unset_model_ratio_model': {
    zh: '是否允许调用没有价格的模型',
    en: 'Whether models without a price may be called',
  },
  'account.desc': { zh: '管理员写的分组说明', en: 'What the operator says of the group' },
  'users.action': {
    zh: 'promote、demote、enable、disable、delete 或 add_quota',
    en: '`promote`, `demote`, `enable`, `disable`, `delete` or `add_quota`',
  },
  'users.mode': {
    zh: 'add_quota 时：add、subtract 或 override',
    en: 'Of `add_quota`: `add`, `subtract` or `override`',
  },
  'users.reason': {
    zh: '调整额度的原因，写入账本和审计',
    en: 'Why money is moved; kept in the ledger and the audit',
  },
  'users.remark': { zh: '备注，只有管理员可见', en: 'A remark that administrators alone see' },
  'users.sort': { zh: '排序字段，前加 - 为降序', en: 'The field to sort by, with a - before it descending' },
  'users.keyword': {
    zh: 'ID、用户名、显示名称或邮箱的一部分',
    en: 'An id, or a part of a username, display name or address',
  },
  'sign-in.username': { zh: '用户名；登录时也可用邮箱', en: 'The username; to log in, the address does too' },
  'sign-in.aff_code': invitation,
  'sign-in.verification_code': {
    zh: '发到邮箱的验证码；要求验证邮箱时必填',
    en: 'The code that came by mail; needed where addresses are verified',
  },
  'sign-in.password2': {
    zh: '再次输入的密码，可省略；给出时必须相同',
    en: 'The password once more; where it is given it must be the same',
  },
  'sign-in.turnstile': turnstile,
  'sign-in.session': { zh: '会话列表中的 id', en: 'Its id in the list of sessions' },
  'SecondStep.require_2fa': {
    zh: '密码正确，但还没有会话：需要第二步',
    en: 'The password was right and there is no session yet: a second step follows',
  },
  'SecondStep.authenticator': { zh: '可以使用验证码', en: 'A code can be given' },
  'SecondStep.passkey': { zh: '可以使用通行密钥', en: 'A passkey can be used' },
  'SessionData.current': { zh: '发出此请求的会话', en: 'True for the session that asks' },
  'SessionData.id': {
    zh: '会话的名称，与其 Cookie 无关',
    en: 'Names the session; tells nothing of its cookie',
  },
  'SessionData.user_agent': device,
  'second-factor.code': code,
  'second-factor.method': {
    zh: '2fa、passkey 或 password；passkey 需先完成一次验证',
    en: '`2fa`, `passkey` or `password`; a passkey is shown beforehand',
  },
  'second-factor.users': { zh: '该角色未被封禁的人数', en: 'Accounts of this role that are not banned' },
  'second-factor.authenticator': {
    zh: '其中有身份验证器的人数',
    en: 'Those among them with an authenticator app',
  },
  'second-factor.passkey': { zh: '其中有通行密钥的人数', en: 'Those among them with a passkey' },
  'second-factor.protected': {
    zh: '其中至少有一种的人数',
    en: 'Those among them with one of the two, or both',
  },
  'second-factor.enabled': { zh: '已设置身份验证器', en: 'The authenticator app is set up' },
  'second-factor.passkeys': { zh: '通行密钥的数量', en: 'How many passkeys there are' },
  'second-factor.backup_codes': recovery,
  'second-factor.qr_code_data': {
    zh: '可制成二维码的 otpauth: 地址',
    en: 'The `otpauth:` address, to be shown as a QR code',
  },
  'second-factor.secret': { zh: '手动输入用的密钥', en: 'The secret, to be typed by hand' },
  'second-factor.verified': { zh: '身份已确认', en: 'True: it counts from now on' },
  'FactorStatus.enabled': { zh: '已设置身份验证器', en: 'The authenticator app is set up' },
  'FactorStatus.locked': {
    zh: '错误次数过多，暂时不接受验证码',
    en: 'True while too many wrong codes make all codes wait',
  },
  'FactorStatus.passkeys': { zh: '通行密钥的数量', en: 'How many passkeys there are' },
  'FactorStatus.required': {
    zh: '站点要求启用而尚未启用',
    en: 'True when the site wants a second factor and there is none',
  },
  'passkeys.second_step': secondStep,
  'passkeys.backup_codes': recovery,
  'passkeys.name': { zh: '通行密钥的名称', en: 'What its owner calls it' },
  'passkeys.enabled': { zh: '本站可以使用通行密钥', en: 'Passkeys can be used on this site' },
  'PasskeyData.backed_up': {
    zh: '由厂商备份，设备丢失后仍可用',
    en: 'True when its maker keeps copies, so that it outlives the device',
  },
  'mail.code': { zh: '发到邮箱的验证码', en: 'The code that came by mail' },
  'mail.token': { zh: '重置链接中的令牌，只能用一次', en: 'The token in the link; good once' },
  'mail.turnstile': turnstile,
  'other-sites.provider': {
    zh: 'github、oidc、linuxdo、discord、telegram 或自定义标识',
    en: '`github`, `oidc`, `linuxdo`, `discord`, `telegram` or a short name of root’s',
  },
  'other-sites.aff': invitation,
  'other-sites.state': state,
  'other-sites.code': { zh: '该网站给出的授权码', en: 'The code that the other site gave' },
  'other-sites.iss': { zh: '该网站自报的签发者', en: 'The issuer, as the other site names itself' },
  'other-sites.error': {
    zh: '该网站拒绝时给出的原因',
    en: 'Why the other site refused, in its word for it',
  },
  'other-sites.hash': { zh: 'Telegram 的签名', en: 'Telegram’s signature' },
  'providers.slug': slug,
  'providers.well_known': discovery,
  'providers.logo': logo,
  'providers.scopes': scopes,
  'providers.client_secret': writtenOnly,
  'providers.enabled': {
    zh: '关闭后保留绑定，但无法登录',
    en: 'Switched off it keeps bindings and lets nobody in',
  },
  'providers.position': { zh: '按钮的顺序', en: 'Buttons stand in this order' },
  'providers.bindings': {
    zh: '调用者看到的绑定数；不同则拒绝',
    en: 'How many bindings the caller was told of; refused when there are others',
  },
  'SignInProviderData.slug': slug,
  'SignInProviderData.well_known': discovery,
  'SignInProviderData.issuer': {
    zh: '签发 ID Token 的一方，来自发现文档',
    en: 'Who signs its id tokens, as its document says',
  },
  'SignInProviderData.logo': logo,
  'SignInProviderData.scopes': scopes,
  'SignInProviderData.enabled': {
    zh: '关闭后保留绑定，但无法登录',
    en: 'Switched off it keeps bindings and lets nobody in',
  },
  'SignInProviderData.position': { zh: '按钮的顺序', en: 'Buttons stand in this order' },
  'SignInProviderData.bindings': { zh: '已绑定的账户数', en: 'Accounts that are bound to it' },
  'SignInProviderData.only_way': {
    zh: '其中没有其他登录方式的账户数',
    en: 'Those among them that nothing else lets in',
  },
  'ProviderCheck.issuer': { zh: '发现文档中的签发者', en: 'The issuer that its document names' },
  'ProviderCheck.scopes_unknown': {
    zh: '对方未列出的权限范围',
    en: 'Scopes asked for that the provider does not list',
  },
  'ProviderCheck.client': {
    zh: 'accepted、refused 或 unknown（未询问或对方未说明）',
    en: '`accepted`, `refused`, or `unknown` when it was not asked or did not say',
  },
  'organisations.limit_period': period,
  'organisations.period': period,
  'organisations.group': {
    zh: '决定渠道、倍率和密钥可选的分组',
    en: 'Decides over channels, ratio and the groups of its keys',
  },
  'organisations.owner_id': { zh: '所有者的用户 ID', en: 'The user id of its owner' },
  'organisations.member_count': { zh: '成员数', en: 'How many members it has' },
  'organisations.key': { zh: '兑换码', en: 'The redemption code' },
  'invitations.code': invitationCode,
  'invitations.invitation': {
    zh: '按用户名发出的邀请的 ID，代替代码',
    en: 'The id of an invitation by name, instead of a code',
  },
  'invitations.invitee': {
    zh: '用户名或邮箱；空为任何持有链接的人',
    en: 'A username or address; empty for anybody who has the link',
  },
  'AuditData.kind': auditKind,
  'AuditData.outcome': {
    zh: '空为成功，否则为错误的名称',
    en: 'Empty for done; else why not, by the name of the refusal',
  },
  'AuditData.actor_id': { zh: '0 为游客或系统', en: `0 for a guest or ${product.name} itself` },
  'AuditData.user_id': { zh: '涉及的账户；0 为无', en: 'Whose account it concerns; 0 for nobody’s' },
  'AuditData.target_type': {
    zh: 'user、token、channel、setting、team 等；空为无',
    en: '`user`, `token`, `channel`, `setting`, `team` and more; empty for nothing',
  },
  'AuditData.method': {
    zh: '身份如何确认：session、access-token、password、passkey 或登录方式',
    en: 'How the actor was known: `session`, `access-token`, `password`, `passkey` or a provider',
  },
  'AuditData.user_agent': device,
  'audit.kind': auditKind,
  'audit.actor': { zh: '操作者的 ID 或名称', en: 'Id or name of who did it' },
  'audit.target': { zh: '对象的 ID 或名称', en: 'Id or name of what it was done to' },
  'audit.text': { zh: '名称、地址和内容中的文字', en: 'Words in names, addresses and contents' },
  'MovementData.kind': {
    zh: 'gift、invite、topup、redeem、transfer、adjust 或 refund',
    en: '`gift`, `invite`, `topup`, `redeem`, `transfer`, `adjust` or `refund`',
  },
  'MovementData.reason': { zh: '原因；种类已说明时为空', en: 'Why; empty where the kind says it' },
  'MovementData.actor_id': { zh: '0 为本人或系统', en: `0 for the user or ${product.name} itself` },
  'history.user_agent': device,
};
