import { group, secret, text, toggle } from '../define.ts';

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
