import { group, secret, text, toggle, url } from '../define.ts';

export const github = group(
  'sign-in',
  { zh: '配置 GitHub OAuth App', en: 'GitHub' },
  {
    GitHubOAuthEnabled: toggle({
      default: false,
      publicAs: 'github_oauth',
      requires: { filled: ['GitHubClientId'], error: 'github_not_configured' },
      label: { zh: '允许通过 GitHub 账户登录 & 注册', en: 'Sign in with GitHub' },
      help: {
        zh: '回调地址为 <服务器地址>/oauth/github',
        en: 'The callback is <server address>/oauth/github',
      },
    }),
    GitHubClientId: text({
      default: '',
      publicAs: 'github_client_id',
      label: { zh: 'GitHub Client ID', en: 'Client ID' },
      help: { zh: '由 GitHub OAuth App 提供', en: 'Provided by the GitHub OAuth app' },
    }),
    GitHubClientSecret: secret({
      label: { zh: 'GitHub Client Secret', en: 'Client secret' },
      help: { zh: '敏感信息不会发送到前端显示', en: 'Never shown again' },
    }),
  },
);

export const linuxdo = group(
  'sign-in',
  { zh: '配置 Linux DO OAuth', en: 'Linux DO' },
  {
    LinuxDOOAuthEnabled: toggle({
      default: false,
      publicAs: 'linuxdo_oauth',
      requires: { filled: ['LinuxDOClientId'], error: 'linuxdo_not_configured' },
      label: { zh: '允许通过 Linux DO 账户登录 & 注册', en: 'Sign in with Linux DO' },
      help: {
        zh: '回调地址为 <服务器地址>/oauth/linuxdo',
        en: 'The callback is <server address>/oauth/linuxdo',
      },
    }),
    LinuxDOClientId: text({
      default: '',
      publicAs: 'linuxdo_client_id',
      label: { zh: 'Linux DO Client ID', en: 'Client ID' },
      help: { zh: '由 Linux DO Connect 提供', en: 'Provided by Linux DO Connect' },
    }),
    LinuxDOClientSecret: secret({
      label: { zh: 'Linux DO Client Secret', en: 'Client secret' },
      help: { zh: '敏感信息不会发送到前端显示', en: 'Never shown again' },
    }),
  },
);

export const discord = group(
  'sign-in',
  { zh: '配置 Discord OAuth', en: 'Discord' },
  {
    'discord.enabled': toggle({
      default: false,
      publicAs: 'discord_oauth',
      requires: { filled: ['discord.client_id'], error: 'discord_not_configured' },
      label: { zh: '允许通过 Discord 账户登录 & 注册', en: 'Sign in with Discord' },
      help: {
        zh: '回调地址为 <服务器地址>/oauth/discord',
        en: 'The callback is <server address>/oauth/discord',
      },
    }),
    'discord.client_id': text({
      default: '',
      label: { zh: 'Discord Client ID', en: 'Client ID' },
      help: { zh: '由 Discord 开发者平台提供', en: 'Provided by the Discord developer portal' },
    }),
    'discord.client_secret': secret({
      label: { zh: 'Discord Client Secret', en: 'Client secret' },
      help: { zh: '敏感信息不会发送到前端显示', en: 'Never shown again' },
    }),
  },
);

export const wechat = group(
  'sign-in',
  { zh: '配置 WeChat Server', en: 'WeChat' },
  {
    WeChatAuthEnabled: toggle({
      default: false,
      publicAs: 'wechat_login',
      requires: { filled: ['WeChatServerAddress'], error: 'wechat_not_configured' },
      label: { zh: '允许通过微信登录 & 注册', en: 'Sign in with WeChat' },
      help: { zh: '需要自行部署 WeChat Server', en: 'Needs a WeChat server of your own' },
    }),
    WeChatServerAddress: url({
      base: true,
      default: '',
      guards: ['WeChatServerToken'],
      label: { zh: 'WeChat Server 服务器地址', en: 'Server address' },
      help: { zh: '验证码在此换取用户身份', en: 'Where codes are exchanged for user identities' },
    }),
    WeChatServerToken: secret({
      label: { zh: 'WeChat Server 访问凭证', en: 'Server token' },
      help: { zh: '修改服务器地址后需要重新填写', en: 'Must be entered again when the address changes' },
    }),
    WeChatAccountQRCodeImageURL: text({
      default: '',
      publicAs: 'wechat_qrcode',
      label: { zh: '微信公众号二维码图片链接', en: 'QR code image' },
      help: { zh: '用户扫码关注后获取验证码', en: 'Users scan it to get a code' },
    }),
  },
);

export const telegram = group(
  'sign-in',
  { zh: '配置 Telegram 登录', en: 'Telegram' },
  {
    TelegramOAuthEnabled: toggle({
      default: false,
      publicAs: 'telegram_oauth',
      requires: { filled: ['TelegramBotToken'], error: 'telegram_not_configured' },
      label: { zh: '允许通过 Telegram 进行登录', en: 'Sign in with Telegram' },
      help: { zh: '用户需要先绑定 Telegram 账户', en: 'Users bind their Telegram account first' },
    }),
    TelegramBotToken: secret({
      label: { zh: 'Telegram Bot Token', en: 'Bot token' },
      help: { zh: '敏感信息不会发送到前端显示', en: 'Never shown again' },
    }),
    TelegramBotName: text({
      default: '',
      publicAs: 'telegram_bot_name',
      label: { zh: 'Telegram Bot 名称', en: 'Bot name' },
      help: { zh: '显示在登录按钮上', en: 'Shown on the sign-in button' },
    }),
  },
);
