import { group, secret, text, toggle } from '../define.ts';

export const turnstile = group(
  'sign-in',
  { zh: '配置 Turnstile', en: 'Human check (Turnstile)' },
  {
    TurnstileCheckEnabled: toggle({
      default: false,
      publicAs: 'turnstile_check',
      requires: { filled: ['TurnstileSiteKey', 'TurnstileSecretKey'], error: 'turnstile_not_configured' },
      label: { zh: '启用 Turnstile 用户校验', en: 'Check that users are human' },
      help: { zh: '登录、注册和发送验证码时校验', en: 'At sign-in, sign-up and before codes are sent' },
    }),
    TurnstileSiteKey: text({
      default: '',
      publicAs: 'turnstile_site_key',
      label: { zh: 'Turnstile Site Key', en: 'Site key' },
      help: { zh: '公开的站点密钥', en: 'The public key of this site' },
    }),
    TurnstileSecretKey: secret({
      label: { zh: 'Turnstile Secret Key', en: 'Secret key' },
      help: { zh: '敏感信息不会发送到前端显示', en: 'Never shown again' },
    }),
  },
);
