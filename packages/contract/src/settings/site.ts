import { group, secret, toggle, url } from './define.ts';

export const site = group(
  'general',
  { zh: '地址', en: 'Address' },
  {
    ServerAddress: url({
      base: true,
      default: '',
      publicAs: 'server_address',
      label: { zh: '服务器地址', en: 'Server address' },
      help: {
        zh: '用户访问本站的地址，邮件、回调与聊天链接会用到',
        en: 'Where users reach this site; used in mails, callbacks and chat links',
      },
    }),
  },
);

export const worker = group(
  'advanced',
  { zh: '代理设置', en: 'Worker' },
  {
    WorkerUrl: url({
      base: true,
      default: '',
      guards: ['WorkerValidKey'],
      label: { zh: 'Worker 地址', en: 'Worker address' },
      help: {
        zh: '通过该代理下载图片和发送 Webhook，留空不使用',
        en: 'Images are fetched and webhooks sent through it; leave empty for none',
      },
    }),
    WorkerValidKey: secret({
      label: { zh: 'Worker 密钥', en: 'Worker key' },
      help: { zh: '修改 Worker 地址后需要重新填写', en: 'Must be entered again when the address changes' },
    }),
    WorkerAllowHttpImageRequestEnabled: toggle({
      default: false,
      label: { zh: '允许 HTTP 协议图片请求', en: 'Allow images over plain http' },
      help: { zh: '适用于自部署代理', en: 'For a worker of your own' },
    }),
  },
);
