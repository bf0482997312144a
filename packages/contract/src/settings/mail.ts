import { group, integer, secret, text, toggle } from './define.ts';

export const mail = group(
  'payments',
  { zh: '配置 SMTP', en: 'Mail server (SMTP)' },
  {
    SMTPServer: text({
      default: '',
      guards: ['SMTPToken'],
      label: { zh: 'SMTP 服务器地址', en: 'Server' },
      help: { zh: '用以支持系统的邮件发送', en: "Sends this site's e-mail" },
    }),
    SMTPPort: integer({
      default: 587,
      min: 1,
      max: 65_535,
      label: { zh: 'SMTP 端口', en: 'Port' },
      help: { zh: '465 使用 SSL，587 使用 STARTTLS', en: '465 for SSL, 587 for STARTTLS' },
    }),
    SMTPAccount: text({
      default: '',
      label: { zh: 'SMTP 账户', en: 'Account' },
      help: { zh: '通常是邮箱地址', en: 'Usually an e-mail address' },
    }),
    SMTPFrom: text({
      default: '',
      label: { zh: 'SMTP 发送者邮箱', en: 'Sender' },
      help: { zh: '留空则使用 SMTP 账户', en: 'Leave empty to use the account' },
    }),
    SMTPToken: secret({
      label: { zh: 'SMTP 访问凭证', en: 'Password' },
      help: { zh: '修改服务器地址后需要重新填写', en: 'Must be entered again when the server changes' },
    }),
    SMTPSSLEnabled: toggle({
      default: false,
      label: { zh: '启用 SMTP SSL', en: 'Use SSL' },
      help: { zh: '端口 465 总是使用 SSL', en: 'Port 465 always uses it' },
    }),
  },
);
