import type { ErrorEntry } from './words.ts';

/** Errors of option values on save (docs/compatibility.md#checks-on-save). */
export const settingErrors = {
  setting_not_boolean: {
    status: 200,
    zh: '{key} 只能是 true 或 false',
    en: '{key} must be true or false',
  },
  setting_not_integer: { status: 200, zh: '{key} 必须是整数', en: '{key} must be a whole number' },
  setting_not_number: { status: 200, zh: '{key} 必须是数字', en: '{key} must be a number' },
  setting_out_of_range: {
    status: 200,
    zh: '{key} 必须在 {min} 到 {max} 之间',
    en: '{key} must be between {min} and {max}',
  },
  setting_too_long: {
    status: 200,
    zh: '{key} 过长，最多 {max} 个字符',
    en: '{key} is too long: at most {max} characters',
  },
  setting_not_choice: { status: 200, zh: '{key} 只能是 {choices}', en: '{key} must be one of {choices}' },
  setting_not_image: {
    status: 200,
    zh: '{key} 必须是 https 地址或 data:image',
    en: '{key} must be an https address or a data:image',
  },
  setting_not_url: {
    status: 200,
    zh: '{key} 必须是以 http:// 或 https:// 开头的地址',
    en: '{key} must be an address that starts with http:// or https://',
  },
  setting_not_json: { status: 200, zh: '不是合法的 JSON 字符串', en: 'Not a valid JSON string' },
  setting_malformed: {
    status: 200,
    zh: '{key} 的内容不符合要求：{detail}',
    en: '{key} does not have the expected form: {detail}',
  },
  version_check_not_configured: {
    status: 200,
    zh: '无法启用检查更新，请先填入发布信息地址！',
    en: 'To look for newer versions, fill in the address of the releases first',
  },
  email_verification_without_smtp: {
    status: 200,
    zh: '无法启用邮箱验证，请先配置 SMTP 服务器！',
    en: 'E-mail verification needs a mail server (SMTP) first',
  },
  topup_group_ratio_not_json: {
    status: 200,
    zh: '充值分组倍率不是合法的 JSON 字符串',
    en: 'The top-up group ratios are not a valid JSON string',
  },
  group_ratio_negative: {
    status: 200,
    zh: '分组 {group} 的倍率不能小于 0',
    en: 'group ratio must be not less than 0: {group}',
  },
  rate_limit_group_invalid: {
    status: 200,
    zh: '分组 {group} 的限制必须是 [最多请求次数, 最多请求完成次数]，前者不小于 0，后者不小于 1',
    en: 'The limit of group {group} must be [requests, successes]: the first at least 0, the second at least 1',
  },
  chats_invalid: {
    status: 200,
    zh: '聊天设置的每一项必须是 {"名称": "链接"}，且链接不能是脚本地址',
    en: 'Each chat entry must be {"name": "link"}, and the link must not be a script address',
  },
  chat_link_sends_key: {
    status: 200,
    zh: '聊天链接“{name}”会把令牌发送给其他网站的服务器：{key} 只能出现在 # 之后',
    en: 'The chat link “{name}” would send the key to another site’s server: {key} may stand after the # only',
  },
  email_domain_invalid: {
    status: 200,
    zh: '邮箱域名格式不正确，请输入有效的域名，如 example.com',
    en: 'Malformed e-mail domain: enter a valid one, such as example.com',
  },
  email_domain_duplicate: {
    status: 200,
    zh: '该域名已存在于白名单中',
    en: 'This domain is in the whitelist already',
  },
  github_not_configured: {
    status: 200,
    zh: '无法启用 GitHub OAuth，请先填入 GitHub Client Id 以及 GitHub Client Secret！',
    en: 'GitHub OAuth cannot be enabled: fill in the GitHub Client Id and Client Secret first!',
  },
  oidc_discovery_failed: {
    status: 200,
    zh: '获取 OIDC 配置失败，请检查网络状况和 Well-Known URL 是否正确（{reason}）',
    en: 'The OIDC configuration could not be read, please check the network and the Well-Known address ({reason})',
  },
  oidc_not_configured: {
    status: 200,
    zh: '无法启用 OIDC 登录，请先填入 OIDC Client Id 以及 OIDC Client Secret！',
    en: 'OIDC sign-in cannot be enabled: fill in the OIDC Client Id and Client Secret first!',
  },
  linuxdo_not_configured: {
    status: 200,
    zh: '无法启用 LinuxDO OAuth，请先填入 LinuxDO Client Id 以及 LinuxDO Client Secret！',
    en: 'LinuxDO OAuth cannot be enabled: fill in the LinuxDO Client Id and Client Secret first!',
  },
  stripe_not_configured: {
    status: 200,
    zh: '无法启用 Stripe，请先填入密钥和 Webhook 签名密钥！',
    en: 'Stripe cannot be enabled: fill in its secret key and the signing secret of the webhook first!',
  },
  discord_not_configured: {
    status: 200,
    zh: '无法启用 Discord OAuth，请先填入 Discord Client Id 以及 Discord Client Secret！',
    en: 'Discord OAuth cannot be enabled: fill in the Discord Client Id and Client Secret first!',
  },
  wechat_not_configured: {
    status: 200,
    zh: '无法启用微信登录，请先填入微信登录相关配置信息！',
    en: 'WeChat sign-in cannot be enabled: fill in the WeChat server first!',
  },
  turnstile_not_configured: {
    status: 200,
    zh: '无法启用 Turnstile 校验，请先填入 Turnstile 校验相关配置信息！',
    en: 'The Turnstile check cannot be enabled: fill in the Turnstile keys first!',
  },
  telegram_not_configured: {
    status: 200,
    zh: '无法启用 Telegram OAuth，请先填入 Telegram Bot Token！',
    en: 'Telegram OAuth cannot be enabled: fill in the Telegram Bot Token first!',
  },
  email_whitelist_empty: {
    status: 200,
    zh: '无法启用邮箱域名限制，请先填入限制的邮箱域名！',
    en: 'The e-mail domain restriction cannot be enabled: fill in the domains first!',
  },
  setting_key_invalid: {
    status: 200,
    zh: '无效的参数：选项名称',
    en: 'Invalid parameter: the name of the option',
  },
} as const satisfies Record<string, ErrorEntry>;
