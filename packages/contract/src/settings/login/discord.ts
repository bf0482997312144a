import { group, secret, text, toggle } from '../define.ts';

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
