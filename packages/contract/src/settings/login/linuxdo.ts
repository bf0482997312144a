import { group, secret, text, toggle } from '../define.ts';

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
